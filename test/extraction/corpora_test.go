package extraction

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/knowledge"
	"footnote/knowledge/extract"
)

// tree gives the pages of a corpus. FOOTNOTE_CORPORA names the folder that holds
// usr/share/doc, as dpkg -x unpacks the packages that testdata/ATTRIBUTION.md lists.
func tree(t testing.TB, corpus Corpus) []string {
	root := os.Getenv("FOOTNOTE_CORPORA")
	if root == "" {
		t.Skip("FOOTNOTE_CORPORA names no folder with usr/share/doc; the samples are measured all the same")
	}
	root = filepath.Join(root, "usr/share/doc", corpus.Root)
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	var pages []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".html") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func extracted(t testing.TB, path string) (body []byte, doc extract.Document) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	base := &url.URL{Scheme: "http", Host: "docs.test", Path: path}
	doc, err = extract.HTML(body, base)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return body, doc
}

const header = "%-16s %6s %6s %7s %7s %13s %13s %13s %6s"

func row(name string, s Score, indexes int) string {
	n := float64(max(s.Pages, 1))
	return fmt.Sprintf("%-16s %6d %6d %7.4f %7.4f %6d/%-6d %6d/%-6d %6d/%-6d %6d", name, s.Pages, indexes,
		s.Recall/n, s.Precision/n, s.Code, s.Codes, s.Rows, s.AllRows, s.Heads, s.AllHds, s.Signs)
}

// TestCorpora measures whole trees: about four thousand pages.
func TestCorpora(t *testing.T) {
	var all Score
	allIndexes := 0
	t.Logf(header, "corpus", "pages", "index", "recall", "precis", "code", "rows", "headings", "signs")
	for _, corpus := range Corpora() {
		var sum Score
		indexes := 0
		for _, path := range tree(t, corpus) {
			body, doc := extracted(t, path)
			if doc.LinkOnly {
				indexes++
				continue
			}
			score, ok := Measure(body, corpus, doc.Markdown)
			if !ok {
				continue
			}
			sum.Add(score)
			if score.Recall < .9 || score.Precision < .8 || score.Code < score.Codes {
				t.Logf("low: %s recall %.3f precision %.3f code %d/%d", path, score.Recall, score.Precision, score.Code, score.Codes)
			}
		}
		t.Log(row(corpus.Name, sum, indexes))
		holdFloors(t, corpus.Name, sum)
		all.Add(sum)
		allIndexes += indexes
	}
	t.Log(row("all", all, allIndexes))
}

// holdHeadings checks that each heading stands at the line it names.
func holdHeadings(t *testing.T, path, markdown string, headings []knowledge.Heading) {
	t.Helper()
	lines := strings.Split(markdown, "\n")
	for _, h := range headings {
		if h.Line < 1 || h.Line > len(lines) {
			t.Errorf("%s: %q is at line %d of %d", path, h.Text, h.Line, len(lines))
			continue
		}
		line := lines[h.Line-1]
		if want := strings.Repeat("#", h.Level) + " " + h.Text; h.Level <= 6 && line != want {
			t.Errorf("%s: line %d is %q, want %q", path, h.Line, line, want)
		}
		if h.Level == knowledge.TermLevel && !strings.Contains(line, "**") {
			t.Errorf("%s: line %d is %q, want the term %q", path, h.Line, line, h.Text)
		}
	}
}
