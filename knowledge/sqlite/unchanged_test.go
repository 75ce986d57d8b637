package sqlite_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/knowledge/sqlite"
)

// TestUnchangedWritesNothing crawls the same pages twice: pages, chunks and keyword
// index are then the same to the last byte.
func TestUnchangedWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	db := open(t, sqlite.Options{Path: path})
	raw := openRaw(t, path)
	crawl := func(seen knowledge.Outcome) knowledge.Counts {
		j := start(t, db, "go")
		write := writer()
		for n := range 30 {
			p := written(j, n, write)
			p.Visited.ETag = fmt.Sprint(j.ID)
			if n%3 == 0 {
				p.Visited.Outcome = seen
			}
			publish(t, db, p)
		}
		finish(t, db, j)
		done, err := db.Job(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		return done.Counts
	}
	crawl(knowledge.Fetched)
	before := dump(t, raw)
	counts := crawl(knowledge.NotModified)
	if counts.Unchanged != 30 || counts.Kept() != 30 {
		t.Errorf("counts = %+v, want 30 unchanged", counts)
	}
	if diff := cmp.Diff(before, dump(t, raw)); diff != "" {
		t.Errorf("tables (-first +second crawl):\n%s", diff)
	}
	verify(t, path)
}

// dump gives a digest of every row of the tables that an unchanged page must not touch.
func dump(t *testing.T, raw *sql.DB) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for _, table := range []string{"pages", "chunks", "chunks_fts_data", "chunks_fts_idx", "chunks_fts_docsize", "chunks_fts_config"} {
		rows, err := raw.QueryContext(t.Context(), `SELECT * FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		sum, n := sha256.New(), 0
		for rows.Next() {
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				sum.Write(fmt.Appendf(nil, "%v\x00", *v.(*any)))
			}
			n++
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		digests[table] = fmt.Sprintf("%d rows, %x", n, sum.Sum(nil))
	}
	return digests
}
