package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/knowledge/sqlite"
)

// TestOneTermOneToken holds the tokenizer to what folding leaves inside a term: each is
// found whole, and no part of it is, nor is it folded any further.
func TestOneTermOneToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	open(t, sqlite.Options{Path: path})
	raw := openRaw(t, path)
	terms := map[string]string{"العربيه": "عربيه", "日本": "日", "e\u0301te": "te", "été": "ete", "½": "1", "it's": "it", `"x`: "x", "ß": "ss"}
	for _, c := range "_-.:/+#@$!%&*()=?,;<>[]\\^`{|}~" {
		terms["x"+string(c)+"y"] = "x"
		terms[string(c)+"z"] = "z"
		terms["w"+string(c)] = "w"
	}
	matches := func(term string) (n int) {
		err := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?`,
			`"`+strings.ReplaceAll(term, `"`, `""`)+`"`).Scan(&n)
		if err != nil {
			t.Errorf("%q: %v", term, err)
		}
		return n
	}
	for term, part := range terms {
		if _, err := raw.ExecContext(t.Context(), `INSERT INTO chunks_fts (rowid, head, body) VALUES (1, '', ?)`, "before "+term+" after"); err != nil {
			t.Fatal(err)
		}
		if n := matches(term); n != 1 {
			t.Errorf("%q is not one token", term)
		}
		if n := matches(part); n != 0 {
			t.Errorf("%q is found by its part %q", term, part)
		}
		if _, err := raw.ExecContext(t.Context(), `DELETE FROM chunks_fts WHERE rowid = 1`); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRebuild damages the keyword index in several ways: Maintain or Open must notice
// and make it anew.
func TestRebuild(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage []string
		byOpen bool
	}{
		{"other folding rules", []string{`UPDATE keyword_index SET fold_version = fold_version + 1`, `INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')`}, true},
		{"chunks missing", []string{`DELETE FROM chunks_fts WHERE rowid % 2 = 0`}, false},
		{"a chunk too many", []string{`INSERT INTO chunks_fts (rowid, head, body) VALUES (7, 'lamp', 'lamp')`}, false},
		{"one away, one too many", []string{
			`DELETE FROM chunks_fts WHERE rowid = (SELECT min(id) FROM chunks)`,
			`INSERT INTO chunks_fts (rowid, head, body) VALUES (7, 'lamp', 'lamp')`,
		}, false},
		{"a segment cut off", []string{`DELETE FROM chunks_fts_data WHERE id > 1000`}, false},
		{"no structure", []string{`DELETE FROM chunks_fts_data`}, false},
		{"nonsense in a segment", []string{`UPDATE chunks_fts_data SET block = randomblob(length(block)) WHERE id > 1000`}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "knowledge.db")
			db := open(t, sqlite.Options{Path: path})
			j := start(t, db, "go")
			write := writer()
			for n := range 10 {
				p := written(j, n, write)
				p.Chunks[2].Text += " lamp"
				p.Page.Markdown += p.Chunks[2].Text
				publish(t, db, p)
			}
			raw := openRaw(t, path)
			for _, q := range test.damage {
				if _, err := raw.ExecContext(t.Context(), q); err != nil {
					t.Fatalf("%s: %v", q, err)
				}
			}
			// A connection notices another's damage when it opens the index anew.
			db = open(t, sqlite.Options{Path: path})
			if !test.byOpen {
				if err := db.Maintain(t.Context(), j.StartedAt); err != nil {
					t.Fatal(err)
				}
			}
			found, err := db.Rank(t.Context(), knowledge.Query{Text: "lamp"})
			if err != nil || len(found) != 10 {
				t.Errorf("rank gives %d chunks (%v), want 10", len(found), err)
			}
			verify(t, path)
		})
	}
}

// TestFrequentWords has a library that is large enough for its frequent words to find
// nothing by themselves: what the rare ones find, they put in order.
func TestFrequentWords(t *testing.T) {
	db := open(t, sqlite.Options{})
	j := start(t, db, "large")
	p := written(j, 1, func(int) string { return "" })
	p.Chunks = nil
	for i := range 21_000 {
		text := "cable"
		switch {
		case i == 500:
			text = "lamp stands and some more words"
		case i == 700:
			text = "lamp server and some more words"
		case i%5 == 0:
			text = "server cable"
		}
		p.Chunks = append(p.Chunks, knowledge.Chunk{Ordinal: i, Text: text})
	}
	publish(t, db, p)
	for _, test := range []struct {
		question string
		want     []int // ordinals, best first; nil for as many as there may be
	}{
		{"lamp", []int{500, 700}},
		{"lamp server", []int{700, 500}},
		{"server cable lamp", []int{700, 500}},
		{"server cable", nil},
		{"server", nil},
	} {
		found, err := db.Rank(t.Context(), knowledge.Query{Text: test.question})
		if err != nil {
			t.Fatal(err)
		}
		if test.want == nil {
			if len(found) != 50 {
				t.Errorf("%q finds %d chunks, want 50", test.question, len(found))
			}
			continue
		}
		ids := make([]int64, len(found))
		for i, s := range found {
			ids[i] = s.Chunk
		}
		hits, err := db.Hits(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, len(hits))
		for i, h := range hits {
			got[i] = h.Ordinal
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.question, diff)
		}
	}
}

// TestVacuum fills a store, deletes most of it, and sees the file become smaller.
func TestVacuum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	db := open(t, sqlite.Options{Path: path})
	write := writer()
	for _, id := range []string{"small", "large"} {
		j := start(t, db, id)
		for n := range map[string]int{"small": 5, "large": 150}[id] {
			publish(t, db, written(j, n, write))
		}
		finish(t, db, j)
	}
	if err := db.DeleteLibrary(t.Context(), "large"); err != nil {
		t.Fatal(err)
	}
	raw := openRaw(t, path)
	pages := func() (total, free int) {
		if err := raw.QueryRowContext(t.Context(), `SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count`).Scan(&total, &free); err != nil {
			t.Fatal(err)
		}
		return total, free
	}
	total, free := pages()
	if free*2 < total {
		t.Fatalf("%d of %d pages are free: nothing to give back", free, total)
	}
	if err := db.Maintain(t.Context(), start(t, db, "x").StartedAt); err != nil {
		t.Fatal(err)
	}
	after, left := pages()
	if left != 0 || after > total-free {
		t.Errorf("%d pages, %d of them free, after the vacuum of %d with %d free", after, left, total, free)
	}
	verify(t, path)
}
