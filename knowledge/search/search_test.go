package search

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// page makes a chunk of a page; section is the last of its breadcrumb.
func page(library, title, section, text string) knowledge.Hit {
	path := []string{title}
	if section != "" {
		path = append(path, section)
	}
	return knowledge.Hit{
		Library: library, PageTitle: title, PageURL: "https://" + library + ".example/" + strings.ReplaceAll(title, " ", "-"),
		Lang: "en", Chunk: knowledge.Chunk{Path: path, Text: text},
	}
}

// manual is a small library, padded so that words have a rarity.
func manual(more ...knowledge.Hit) *memory {
	hits := []knowledge.Hit{
		page("pg", "CREATE INDEX", "Synopsis", "CREATE INDEX name ON table (column) constructs an index on the table."),
		page("pg", "CREATE INDEX", "Building Indexes Concurrently", "Creating an index can interfere with regular operation of a database. With this method other sessions go on writing."),
		page("pg", "REINDEX", "Notes", "If you suspect corruption of an index, reindex it. Options exist to do so concurrently."),
		page("pg", "Connections", "Connection Settings", "`max_connections` (integer)\n\nDetermines the maximum number of concurrent connections to the server."),
		page("pg", "Resources", "Memory", "Set `work_mem` with care when max_connections is high; max_connections multiplies it. Then max_connections again."),
		page("pg", "Roles", "Attributes", "A connection limit says how many sessions a role may have."),
		page("git", "git commit", "Options", "`--no-verify` bypasses the pre-commit and commit-msg hooks."),
		page("git", "git push", "Options", "`--no-verify` and `--verify` toggle the pre-push hook, `--force` the check."),
	}
	for i := range 30 {
		hits = append(hits, page("pg", fmt.Sprintf("Chapter %d", i), "", fmt.Sprintf("Words about topic%d: tables, rows, servers and an index.", i)))
	}
	return newMemory(append(hits, more...)...)
}

func sections(hits []knowledge.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Breadcrumb())
	}
	return out
}

func TestTheRightSectionComesFirst(t *testing.T) {
	tests := []struct {
		name, query string
		libraries   []string
		want        string
	}{
		{"title and heading together hold the question", "create index concurrently", nil, "CREATE INDEX > Building Indexes Concurrently"},
		{"where a name is defined, not where it is used most", "max_connections", nil, "Connections > Connection Settings"},
		{"the same in words", "maximum number of connections", nil, "Connections > Connection Settings"},
		{"a question in words", "how do I limit the connections of a role?", nil, "Roles > Attributes"},
		{"an option", "--no-verify hooks of a commit", nil, "git commit > Options"},
		{"one library alone", "hook check", []string{"git"}, "git push > Options"},
		{"only function words", "and an of the to do so", nil, "REINDEX > Notes"},
	}
	s := New(manual())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := s.Search(t.Context(), knowledge.Query{Text: tt.query, Libraries: tt.libraries})
			if err != nil {
				t.Fatal(err)
			}
			if got := append(sections(r.Hits), ""); got[0] != tt.want {
				t.Errorf("first is %q, want %q; all: %q", got[0], tt.want, got)
			}
		})
	}
}

func TestNothingIsShownWhenNothingAnswers(t *testing.T) {
	s := New(manual())
	for _, query := range []string{
		"how do I bake sourdough bread",
		"rotate kubernetes secrets in the index", // one word in four
		"max_conections",                         // misspelt, and nothing else to go by
		"?!",
	} {
		r, err := s.Search(t.Context(), knowledge.Query{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := sections(append(r.Hits, r.Related...)); len(got) > 0 {
			t.Errorf("%q shows %q", query, got)
		}
	}
}

func TestQueryIsChecked(t *testing.T) {
	tests := []struct {
		name, text string
		want       knowledge.Code
	}{
		{"empty", " \n", knowledge.InvalidRequest},
		{"longest", strings.Repeat("ä", MaxText), ""},
		{"too long", strings.Repeat("ä", MaxText+1), knowledge.RequestTooLarge},
	}
	s := New(manual())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Search(t.Context(), knowledge.Query{Text: tt.text})
			if got := knowledge.CodeOf(err); got != tt.want {
				t.Errorf("code %q, want %q (%v)", got, tt.want, err)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	var more []knowledge.Hit
	for i := range 70 {
		more = append(more, page("pg", fmt.Sprintf("Lock %d", i), "Deadlock", fmt.Sprintf("A deadlock of kind%d.", i)))
	}
	s := New(manual(more...))
	for limit, want := range map[int]int{-1: DefaultLimit, 0: DefaultLimit, 1: 1, 20: 20, 500: MaxLimit} {
		r, err := s.Search(t.Context(), knowledge.Query{Text: "deadlock", Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Hits) + len(r.Related); got != want {
			t.Errorf("limit %d gives %d, want %d", limit, got, want)
		}
	}
}

func TestAtMostThreeOfAPageAndNoCopies(t *testing.T) {
	copied := "A snapshot is exported by a transaction. It says what that one sees of all others while both run: rows which were " +
		"committed before, never those written since, as if time had stopped for whoever reads under it until they finish."
	nearly := copied + " Later."
	s := New(manual(
		page("pg", "Long", "one", "A snapshot of the first kind."), page("pg", "Long", "two", "A snapshot of the second sort."),
		page("pg", "Long", "three", "Snapshot, third."), page("pg", "Long", "four", "Fourth snapshot here."),
		page("pg", "A", "", copied), page("pg", "B", "", copied), page("pg", "C", "", nearly), page("git", "D", "", copied),
	))
	r, err := s.Search(t.Context(), knowledge.Query{Text: "snapshot", Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, h := range append(r.Hits, r.Related...) {
		count[h.PageTitle]++
	}
	if count["Long"] != perPage {
		t.Errorf("%d hits of one page, want %d", count["Long"], perPage)
	}
	if n := count["A"] + count["B"] + count["C"]; n != 1 || count["D"] != 1 {
		t.Errorf("copies within a library and of another: %v", count)
	}
}

func TestTheOnlyHolderOfAWordComesFirst(t *testing.T) {
	far := strings.Repeat("Unrelated words about many other things entirely. ", 40)
	s := New(manual(
		page("pg", "Wrap", "", "The index. "+far+" Finally vacuum_freeze_table_age matters."),
		page("pg", "Freeze table index", "", "index index index vacuum freeze table age"),
	))
	r, err := s.Search(t.Context(), knowledge.Query{Text: "vacuum_freeze_table_age index"})
	if err != nil || len(r.Hits) == 0 {
		t.Fatal(err, r)
	}
	if h := r.Hits[0]; h.PageTitle != "Wrap" || h.Grade != knowledge.GradeBest {
		t.Errorf("first is %q, %s", h.PageTitle, h.Grade)
	}
}

func TestHitIsComplete(t *testing.T) {
	r, err := New(manual()).Search(t.Context(), knowledge.Query{Text: "pre-commit hooks"})
	if err != nil || len(r.Hits) == 0 {
		t.Fatal(err, r)
	}
	h := r.Hits[0]
	if h.Channel != "words" || h.Evidence <= 0 || h.Evidence > 1 || h.Grade == "" {
		t.Errorf("hit lacks its evidence: %+v", h)
	}
	if want := "--no-verify bypasses the **pre-commit** and **commit**-msg **hooks**."; h.Snippet != want {
		t.Errorf("snippet %q, want %q", h.Snippet, want)
	}
	if got := r.Question.Share("Hooks that run before: pre-commit.", "en"); got != 1 {
		t.Errorf("share %v, want 1", got)
	}
	if got := r.Question.Share("Nothing.", "en"); got != 0 {
		t.Errorf("share %v, want 0", got)
	}
	if got := (Question{}).Share("hooks", "en"); got != 0 {
		t.Errorf("share of no question %v", got)
	}
}

func TestGrades(t *testing.T) {
	s := scale{Held: 0.5, Best: 0.6, Good: 0.4, Possible: 0.2, Behind: 0.5}
	tests := []struct {
		held, evidence float64
		want           knowledge.Grade
	}{
		{1, 0.6, knowledge.GradeBest}, {1, 0.59, knowledge.GradeGood}, {1, 0.39, knowledge.GradePossible}, {1, 0.19, ""}, {0.49, 0.9, ""},
	}
	for _, tt := range tests {
		m := measured{features: features{Held: tt.held}}
		m.Evidence = tt.evidence
		if got := s.grade(m); got != tt.want {
			t.Errorf("held %v, evidence %v: %q, want %q", tt.held, tt.evidence, got, tt.want)
		}
	}
	var list []measured
	for i, e := range []float64{0.8, 0.41, 0.39, 0.45} {
		m := measured{features: features{Held: 1}}
		m.Evidence, m.ID, m.PageURL, m.Text = e, int64(i), fmt.Sprint(i), fmt.Sprint("text", i)
		list = append(list, m)
	}
	r := s.judge(list, 8)
	var ids []int64
	for _, h := range append(r.Hits, r.Related...) {
		ids = append(ids, h.ID)
	}
	if diff := cmp.Diff([]int64{0, 3, 1}, ids); diff != "" {
		t.Errorf("what is far behind the best is dropped (-want +got):\n%s", diff)
	}
}

func TestFloorsAreWhole(t *testing.T) {
	s, err := readScale(floorsJSON)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Weights
	sum := w.Held + w.Match + w.Heading + w.Section + w.Near + w.Opens
	if sum < 0.999 || sum > 1.001 || s.Version < 1 || s.Data == "" {
		t.Errorf("weights sum to %v, want 1: %+v", sum, s)
	}
	if !(0 < s.Possible && s.Possible < s.Good && s.Good < s.Best && s.Best < 1 && s.Held >= 0.5 && s.Behind < 1) {
		t.Errorf("floors are out of order: %+v", s)
	}
	if _, err := readScale([]byte("{")); err == nil {
		t.Error("broken floors are read")
	}
}

type brokenWords struct {
	*memory
	at string
}

var errBroken = errors.New("disk gone")

func (b brokenWords) Languages(ctx context.Context, l []string) ([]string, error) {
	if b.at == "languages" {
		return nil, errBroken
	}
	return b.memory.Languages(ctx, l)
}

func (b brokenWords) Frequencies(ctx context.Context, l []string, terms [][]string) ([]int, int, error) {
	if b.at == "frequencies" {
		return nil, 0, errBroken
	}
	return b.memory.Frequencies(ctx, l, terms)
}

func (b brokenWords) Rank(ctx context.Context, q knowledge.Query) ([]knowledge.Scored, error) {
	if b.at == "rank" {
		return nil, errBroken
	}
	return b.memory.Rank(ctx, q)
}

func (b brokenWords) Hits(ctx context.Context, ids []int64) ([]knowledge.Hit, error) {
	if b.at == "hits" {
		return nil, errBroken
	}
	return b.memory.Hits(ctx, ids)
}

func TestFaultOfTheStoreIsPassedOn(t *testing.T) {
	for _, at := range []string{"languages", "frequencies", "rank", "hits"} {
		if _, err := New(brokenWords{manual(), at}).Search(t.Context(), knowledge.Query{Text: "index"}); !errors.Is(err, errBroken) {
			t.Errorf("fault at %s gives %v", at, err)
		}
	}
}

// TestFAQ holds the figures of a small library and the place of every answer, so that a
// change of ranking shows in the diff of a golden file.
func TestFAQ(t *testing.T) {
	set := readBench(t, filepath.Join("testdata", "faq"))
	s := New(newMemory(set.docs...))
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", set.run(t, s))
	for _, q := range set.queries {
		r, err := s.Search(t.Context(), knowledge.Query{Text: q.Text})
		if err != nil {
			t.Fatal(err)
		}
		place := "-"
		if i := slices.IndexFunc(append(r.Hits, r.Related...), func(h knowledge.Hit) bool { return q.relevant[set.key(h)] > 0 }); i >= 0 {
			place = fmt.Sprint(i + 1)
		}
		kind := "answerable  "
		if !q.Answerable {
			kind = "unanswerable"
		}
		fmt.Fprintf(&b, "%s at %-2s of %d + %d  %s\n", kind, place, len(r.Hits), len(r.Related), q.Text)
	}
	golden := filepath.Join("testdata", "faq.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("ranking changed; -update takes it over (-want +got):\n%s", diff)
	}
}
