package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/sqlite"
)

// secret marks the words of the library that is deleted: every page has its own.
var secret = regexp.MustCompile(`zq[a-y]{8}qz`)

func secretWord(n int) string {
	letters := []byte("zqaaaaaaaaqz")
	for i := range 8 {
		letters[2+i] = 'a' + byte(n>>(4*i)&15)
	}
	return string(letters)
}

// TestDeleteLeavesNoWords deletes one of two libraries whose pages were published in
// turn and rewritten once, and looks for its words in every file of the store.
func TestDeleteLeavesNoWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	db := open(t, sqlite.Options{Path: path})
	var jobs []knowledge.Job
	for _, id := range []string{"secret", "public"} {
		jobs = append(jobs, start(t, db, id))
	}
	write := writer()
	const pages = 300
	for round := range 2 {
		for n := range pages {
			for _, j := range jobs {
				p := written(j, n, write)
				p.Page.Digest = fmt.Sprint(round)
				if j.Library == "secret" {
					for i := range p.Chunks {
						p.Chunks[i].Text += secretWord(n)
						p.Chunks[i].Path = append(p.Chunks[i].Path, secretWord(n))
					}
					p.Page.Markdown += secretWord(n)
					p.Page.Title += secretWord(n)
				}
				publish(t, db, p)
			}
		}
	}
	for _, j := range jobs {
		finish(t, db, j)
	}
	if found := wordsInFiles(t, path); len(found) < pages {
		t.Fatalf("%d of %d words are in the files before the delete: the test sees nothing", len(found), pages)
	}
	if err := db.DeleteLibrary(t.Context(), "secret"); err != nil {
		t.Fatal(err)
	}
	if found := wordsInFiles(t, path); len(found) > 0 {
		t.Errorf("%d deleted words are still in the files: %v", len(found), found[:min(5, len(found))])
	}
	if l, err := db.Library(t.Context(), "public"); err != nil || l.Pages != pages {
		t.Errorf("the other library has %d pages (%v), want %d", l.Pages, err, pages)
	}
}

// TestPurgeIsFinishedAtOpen cuts the purge off by a cancelled context, as a crash would.
func TestPurgeIsFinishedAtOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	db := open(t, sqlite.Options{Path: path})
	j := start(t, db, "secret")
	write := writer()
	for n := range 50 {
		p := written(j, n, write)
		p.Chunks[0].Text += secretWord(n)
		publish(t, db, p)
	}
	finish(t, db, j)
	owe(t, path)
	if found := wordsInFiles(t, path); len(found) == 0 {
		t.Fatal("the words are gone before the purge: the test sees nothing")
	}
	open(t, sqlite.Options{Path: path})
	if found := wordsInFiles(t, path); len(found) > 0 {
		t.Errorf("%d deleted words are still in the files after the next open", len(found))
	}
}

// owe does the transaction of a delete, and nothing of the purge behind it.
func owe(t *testing.T, path string) {
	t.Helper()
	raw := openRaw(t, path)
	for _, q := range []string{
		`DELETE FROM chunks_fts WHERE rowid > 0`, `DELETE FROM chunks`, `DELETE FROM pages`, `DELETE FROM jobs`, `DELETE FROM libraries`,
		`UPDATE keyword_index SET purge_owed = 1`,
	} {
		if _, err := raw.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// openRaw opens a store's file past the store, as another process may.
func openRaw(t *testing.T, path string) *sql.DB {
	t.Helper()
	raw, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=10000&_foreign_keys=on&_secure_delete=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	})
	raw.SetMaxOpenConns(1)
	return raw
}

func wordsInFiles(t *testing.T, path string) []string {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range secret.FindAll(bytes.ToLower(content), -1) {
			found[string(w)] = true
		}
	}
	var words []string
	for w := range found {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

func start(t testing.TB, db *sqlite.DB, library string) knowledge.Job {
	t.Helper()
	j, err := db.StartJob(t.Context(), knowledge.Job{
		Library: library, Kind: knowledge.JobCrawl, Start: "https://docs.example/", Owner: "team/alpha/1@1", LeaseUntil: time.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func publish(t testing.TB, db *sqlite.DB, p knowledge.Publication) knowledge.Stored {
	t.Helper()
	stored, err := db.Publish(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func finish(t testing.TB, db *sqlite.DB, j knowledge.Job) {
	t.Helper()
	if err := db.FinishJob(context.WithoutCancel(t.Context()), j.ID, j.Owner, knowledge.Completed, "", ""); err != nil {
		t.Fatal(err)
	}
}
