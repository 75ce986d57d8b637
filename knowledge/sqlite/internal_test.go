package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
)

func TestReadMigrations(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for _, test := range []struct {
		name  string
		files fstest.MapFS
		want  string // of the error, empty for none
	}{
		{"none", fstest.MapFS{}, ""},
		{"in order", fstest.MapFS{"migrations/0001_a.sql": file("1"), "migrations/0002_b.sql": file("2")}, ""},
		{"a gap", fstest.MapFS{"migrations/0001_a.sql": file("1"), "migrations/0003_b.sql": file("3")}, "want number 0002"},
		{"a number twice", fstest.MapFS{"migrations/0001_a.sql": file("1"), "migrations/0001_b.sql": file("1")}, "want number 0002"},
		{"no number", fstest.MapFS{"migrations/a.sql": file("1")}, "want number 0001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			steps, err := readMigrations(test.files)
			switch {
			case test.want == "" && err != nil:
				t.Fatal(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Fatalf("err = %v, want %q", err, test.want)
			case test.want == "" && len(steps) != len(test.files):
				t.Errorf("%d steps of %d files", len(steps), len(test.files))
			}
		})
	}
}

func TestNearest(t *testing.T) {
	ids := []string{"django", "go", "meta_whatsapp_docs", "postgres", "postgres_15", "python"}
	for _, test := range []struct {
		id   string
		want []string
	}{
		{"postgers", []string{"postgres"}},
		{"postgresql", []string{"postgres", "postgres_15"}},
		{"whatsapp", []string{"meta_whatsapp_docs"}},
		{"phyton", []string{"python"}},
		{"g", []string{"go"}},
		{"kubernetes", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(test.want, nearest(test.id, ids)); diff != "" {
			t.Errorf("nearest(%q) (-want +got):\n%s", test.id, diff)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, test := range []struct{ term, want string }{
		{"max_connections", `"max_connections"`},
		{`say"hi`, `"say""hi"`},
		{"c++", `"c++"`},
		{"", ""},
		{"two words", ""},
		{"nul\x00", ""},
		{"tab\t", ""},
		{"\x7f", ""},
		{"مدرسه", `"مدرسه"`},
	} {
		if got := quote(test.term); got != test.want {
			t.Errorf("quote(%q) = %q, want %q", test.term, got, test.want)
		}
	}
}

// A disk without room is a refusal that says so, and what is stored stays readable.
func TestFullDiskIsARefusal(t *testing.T) {
	db, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "knowledge.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.writer.ExecContext(t.Context(), `PRAGMA max_page_count = 1`); err != nil { // no page more than there are
		t.Fatal(err)
	}
	err = db.SetSetting(t.Context(), "large", strings.Repeat("x", 1<<20))
	if code := knowledge.CodeOf(err); code != knowledge.StorageFull {
		t.Errorf("refused with %q (%v), want %q", code, err, knowledge.StorageFull)
	}
	if value, err := db.Setting(t.Context(), "large"); value != "" || err != nil {
		t.Errorf("read %d bytes (%v) after the refusal", len(value), err)
	}
}
