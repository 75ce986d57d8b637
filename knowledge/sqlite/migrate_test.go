package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge/sqlite"
)

// TestSchema holds the schema that the migrations leave against a file, so that a
// change of it shows in the diff. UPDATE_GOLDEN=1 writes the file anew.
func TestSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	open(t, sqlite.Options{Path: path})
	raw := openRaw(t, path)
	rows, err := raw.QueryContext(t.Context(), `SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n%s\n\n", kind, name, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, pragma := range []string{"user_version", "auto_vacuum", "journal_mode"} {
		var value string
		if err := raw.QueryRowContext(t.Context(), `PRAGMA `+pragma).Scan(&value); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s = %s\n", pragma, value)
	}
	golden := filepath.Join("testdata", "schema.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("schema (-%s +migrated):\n%s", golden, diff)
	}
}

func TestOpenRefusesANewerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	open(t, sqlite.Options{Path: path})
	if _, err := openRaw(t, path).ExecContext(t.Context(), `PRAGMA user_version = 9999`); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err == nil {
		defer db.Close()
		t.Fatal("a file of schema 9999 was opened")
	}
	if !strings.Contains(err.Error(), "newer footnote") || !strings.Contains(err.Error(), path) {
		t.Errorf("%q does not say that a newer footnote wrote %s", err, path)
	}
}

func TestOpenWhatIsNotAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err == nil {
		defer db.Close()
		t.Fatal("a text file was opened as a store")
	}
	if !strings.Contains(err.Error(), path) {
		t.Errorf("%q does not name the file", err)
	}
}

func TestOpenAnyPath(t *testing.T) {
	for _, name := range []string{"plain", "with space", "a?b=c&d", "100%", "#1", "ключ", "sub/sub"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name, "knowledge.db")
			db := open(t, sqlite.Options{Path: path})
			if err := db.SetSetting(t.Context(), "k", "v"); err != nil {
				t.Fatal(err)
			}
			if v, err := db.Setting(t.Context(), "k"); err != nil || v != "v" {
				t.Errorf("setting = %q, %v", v, err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOpenAtOnce has several open a file that none of them has made yet, and write.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			for n := range 20 {
				if err := db.SetSetting(t.Context(), fmt.Sprint(i), fmt.Sprint(n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	db := open(t, sqlite.Options{Path: path})
	for i := range 4 {
		if v, err := db.Setting(t.Context(), fmt.Sprint(i)); err != nil || v != "19" {
			t.Errorf("setting %d = %q, %v, want 19", i, v, err)
		}
	}
}

func TestOpenRefusesAForeignFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "knowledge.db")
	if _, err := openRaw(t, path).ExecContext(t.Context(), `PRAGMA user_version = -1`); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err == nil {
		t.Fatal("opened", db.Close())
	}
	if !strings.Contains(err.Error(), "not written by footnote") {
		t.Errorf("%q does not say whose file it is", err)
	}
}

// What people asked is nobody else's to read, in a new store and in an older one.
func TestStoreIsPrivate(t *testing.T) {
	older := filepath.Join(t.TempDir(), "knowledge.db")
	if err := os.WriteFile(older, nil, 0o644); err != nil { //nolint:gosec // as older versions left it
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "data", "knowledge.db"), older} {
		db := open(t, sqlite.Options{Path: path})
		if err := db.SetSetting(t.Context(), "a", "b"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %o", filepath.Base(name), info.Mode().Perm())
			}
		}
		if path == older {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder has mode %v (%v)", info.Mode().Perm(), err)
		}
	}
}
