package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/sqlite"
)

// crashPath tells a copy of this test binary to publish into that file until it is killed.
const crashPath = "FOOTNOTE_TEST_CRASH_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		fmt.Fprintln(os.Stderr, publishUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// publishUntilKilled publishes pages, and rewrites them, saying so after each.
func publishUntilKilled(path string) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	if _, err := db.RecoverJobs(ctx, knowledge.Owner{Install: "team", Host: "alpha"}, func(string) bool { return false }, time.Now()); err != nil {
		return err
	}
	j, err := db.StartJob(ctx, knowledge.Job{Library: "go", Kind: knowledge.JobCrawl, Owner: "team/alpha/1@1", LeaseUntil: time.Now().Add(time.Hour)})
	if err != nil {
		return err
	}
	write := writer()
	for n := 0; ; n++ {
		p := written(j, n%40, write)
		p.Page.Digest = fmt.Sprintf("%d:%s", n, p.Chunks[0].Text)
		if _, err := db.Publish(ctx, p); err != nil {
			return err
		}
		fmt.Println("published", n)
	}
}

// TestCrash kills a publishing process, several times over on one file, at moments
// that it does not choose: between two transactions or in the middle of one.
func TestCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	for round := range 4 {
		publishAndKill(t, path, 25*(round+1))
		db := open(t, sqlite.Options{Path: path})
		verify(t, path)
		recovered, err := db.RecoverJobs(t.Context(), knowledge.Owner{Install: "team", Host: "alpha"}, func(string) bool { return false }, time.Now())
		if err != nil || len(recovered) != 1 {
			t.Fatalf("recovered = %v, %v, want the killed process's job", recovered, err)
		}
		done, _, err := db.Frontier(t.Context(), recovered[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		visits, err := db.Visits(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range done {
			if _, ok := visits[url]; !ok {
				t.Errorf("the journal has %s as done, and there is no such page", url)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// publishAndKill runs the child until it has published so many pages.
func publishAndKill(t *testing.T, path string, pages int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashPath+"="+path)
	child.Stderr = t.Output()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range pages {
		if !lines.Scan() {
			t.Fatalf("the child ended by itself: %v", child.Wait())
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended with %v, want it killed", err)
	}
}

// verify holds what is in a store's file to what must always be true of it.
func verify(t *testing.T, path string) {
	t.Helper()
	raw := openRaw(t, path)
	defer raw.Close()
	for _, check := range []struct{ name, query, want string }{
		{"integrity", `PRAGMA integrity_check`, "ok"},
		{"foreign keys", `SELECT count(*) FROM pragma_foreign_key_check`, "0"},
		{"pages whose chunks are not all there", `
			SELECT count(*) FROM pages p WHERE p.chunks <>
				(SELECT count(*) FROM chunks c WHERE c.page = p.id AND c.id BETWEEN p.first_chunk AND p.first_chunk + p.chunks - 1)`, "0"},
		{"chunks without a page", `SELECT count(*) FROM chunks WHERE page NOT IN (SELECT id FROM pages)`, "0"},
		{"chunks of another version than their page", `
			SELECT count(*) FROM pages p JOIN chunks c ON c.page = p.id
			WHERE instr(p.markdown, c.text) = 0`, "0"},
		{"pages without a visit", `SELECT count(*) FROM pages WHERE id NOT IN (SELECT page FROM visits)`, "0"},
		{"chunks without words", `SELECT count(*) FROM (SELECT id FROM chunks EXCEPT SELECT rowid FROM chunks_fts)`, "0"},
		{"words without a chunk", `SELECT count(*) FROM (SELECT rowid FROM chunks_fts EXCEPT SELECT id FROM chunks)`, "0"},
		{"jobs that count other than their journal", `
			SELECT count(*) FROM jobs j WHERE state IN ('running', 'interrupted') AND j.new + j.changed + j.unchanged <>
				(SELECT count(*) FROM job_pages p WHERE p.job = j.id AND p.outcome IN ('fetched', 'unchanged'))`, "0"},
	} {
		var got string
		if err := raw.QueryRowContext(t.Context(), check.query).Scan(&got); err != nil {
			t.Errorf("%s: %v", check.name, err)
		} else if got != check.want {
			t.Errorf("%s: %s, want %s", check.name, got, check.want)
		}
	}
	if _, err := raw.ExecContext(t.Context(), `INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')`); err != nil {
		t.Errorf("keyword index: %v", err)
	}
}
