package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
)

func testMatch(t *testing.T, open Open) {
	t.Run("the better match comes first", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple and some other text about trees", "apple banana", "cherry")
		got := k.search("apple banana")
		if want := []string{address("p1"), address("p0")}; !cmp.Equal(want, got) {
			t.Errorf("search = %v, want %v", got, want)
		}
		scored, err := k.Rank(t.Context(), knowledge.Query{Text: "apple banana"})
		if err != nil || len(scored) != 2 || scored[0].Score <= scored[1].Score {
			t.Errorf("scores = %v, %v, want two, falling", scored, err)
		}
	})
	t.Run("a heading weighs more than the text", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		inText := page(j, "text", "apple stands here in the text")
		inHead := page(j, "head", "something stands here in the text")
		inHead.Chunks[0].Path = []string{"Page head", "apple"}
		k.publish(inText)
		k.publish(inHead)
		if got := k.search("apple"); len(got) != 2 || got[0] != address("head") {
			t.Errorf("search = %v, want the heading first", got)
		}
	})
	t.Run("libraries bound a search", func(t *testing.T) {
		k := newKit(t, open, roomy())
		for _, id := range []string{"a", "b", "c", "d"} {
			k.fill(id, "apple of "+id)
		}
		if err := k.UpdateLibrary(t.Context(), "c", func(l *knowledge.Library) { l.Archived = true }); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			name      string
			libraries []string
			want      []string
		}{
			{"all active", nil, []string{"a", "b", "d"}},
			{"one", []string{"b"}, []string{"b"}},
			{"two with one between", []string{"d", "a"}, []string{"a", "d"}},
			{"an archived one by its id", []string{"c"}, []string{"c"}},
			{"an unknown one", []string{"nope"}, nil},
		} {
			found, err := k.Rank(t.Context(), knowledge.Query{Text: "apple", Libraries: test.libraries})
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			got := map[string]bool{}
			for _, s := range found {
				hits, err := k.Hits(t.Context(), []int64{s.Chunk})
				if err != nil || len(hits) != 1 {
					t.Fatalf("%s: hits = %v, %v", test.name, hits, err)
				}
				got[hits[0].Library] = true
			}
			want := map[string]bool{}
			for _, id := range test.want {
				want[id] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
			counts, chunks, err := k.Frequencies(t.Context(), test.libraries, [][]string{forms("apple"), append(forms("pear"), forms("of")...), {}})
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			if n := len(test.want); !cmp.Equal(counts, []int{n, n, 0}) || chunks != n {
				t.Errorf("%s: frequencies = %v of %d, want %d twice and 0", test.name, counts, chunks, n)
			}
		}
	})
	t.Run("the limit holds", func(t *testing.T) {
		k := newKit(t, open, roomy())
		texts := make([]string, 60)
		for i := range texts {
			texts[i] = "apple " + strings.Repeat("x", i+1)
		}
		k.fill("go", texts...)
		for limit, want := range map[int]int{1: 1, 7: 7, 0: 50, 55: 55, 500: 60} {
			if got, err := k.Rank(t.Context(), knowledge.Query{Text: "apple", Limit: limit}); err != nil || len(got) != want {
				t.Errorf("limit %d gives %d (%v), want %d", limit, len(got), err, want)
			}
		}
	})
	t.Run("a question is never syntax", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple banana")
		for _, question := range []string{
			`"`, `""`, `apple" OR "x`, `'`, `apple'; DROP TABLE chunks; --`, `NEAR(apple banana, 2)`, `apple NEAR banana`,
			`apple*`, `^apple`, `head:apple`, `{head body} : apple`, `-apple`, `NOT apple`, `apple AND`, `AND OR NOT`, `(apple`, `apple)`,
			"app\x00le", "\x00", "apple\x00banana", `\`, `apple + banana`, "apple\nbanana", "apple\u00a0banana", "\xff\xfe apple", "",
			"   ", `$(apple)`, "`apple`", "%", "_", strings.Repeat("apple ", 2000), strings.Repeat("a", 100000),
		} {
			if _, err := k.Rank(t.Context(), knowledge.Query{Text: question}); err != nil {
				t.Errorf("rank %.40q: %v", question, err)
			}
			if _, _, err := k.Frequencies(t.Context(), nil, [][]string{{question}}); err != nil {
				t.Errorf("frequencies of %.40q: %v", question, err)
			}
		}
		if got := k.search("apple"); len(got) != 1 {
			t.Errorf("search = %v after all that", got)
		}
	})
	t.Run("a rare word decides among many chunks with a frequent one", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		for i := range 100 {
			paragraphs := slices.Repeat([]string{"server server server"}, 10)
			if i == 42 {
				paragraphs[3] = "server lamp and some more that makes it longer"
			}
			k.publish(page(j, fmt.Sprint(i), paragraphs...))
		}
		got, err := k.Rank(t.Context(), knowledge.Query{Text: "server lamp"})
		if err != nil || len(got) == 0 {
			t.Fatalf("rank = %v, %v", got, err)
		}
		if hits, err := k.Hits(t.Context(), []int64{got[0].Chunk}); err != nil || hits[0].PageURL != address("42") {
			t.Errorf("first hit = %v, %v, want the one chunk with the rare word", hits, err)
		}
		if got, err := k.Rank(t.Context(), knowledge.Query{Text: "server"}); err != nil || len(got) != 50 {
			t.Errorf("rank of the frequent word alone gives %d (%v), want 50", len(got), err)
		}
	})
	t.Run("languages are those of the pages", func(t *testing.T) {
		k := newKit(t, open, roomy())
		for _, library := range []string{"a", "b", "c"} {
			j := k.start(library, knowledge.JobCrawl)
			for i, lang := range map[string][]string{"a": {"en", "en", "de"}, "b": {"ar", "en"}, "c": {"fr"}}[library] {
				p := page(j, strings.Repeat("x", i+1), "text")
				p.Page.Lang = lang
				k.publish(p)
			}
			k.finish(j)
		}
		for _, test := range []struct{ libraries, want []string }{
			{nil, []string{"ar", "de", "en", "fr"}},
			{[]string{"a"}, []string{"de", "en"}},
			{[]string{"a", "c"}, []string{"de", "en", "fr"}},
			{[]string{"nope"}, nil},
		} {
			got, err := k.Languages(t.Context(), test.libraries)
			if err != nil || !cmp.Equal(test.want, got) {
				t.Errorf("languages of %v = %v (%v), want %v", test.libraries, got, err, test.want)
			}
		}
	})
}
