package extraction

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
				if os.Getenv("LOW") == corpus.Name+"-index" {
					t.Logf("INDEX %s %d", path, len(doc.Markdown))
				}
				continue
			}
			if score, ok := Measure(body, corpus, doc.Markdown); ok {
				sum.Add(score)
				if os.Getenv("LOW") == corpus.Name && (score.Recall < .95 || score.Precision < .95 || score.Code < score.Codes || score.Signs > 0 || os.Getenv("LOWH") != "" && score.AllHds-score.Heads > 2) {
					t.Logf("LOW %s %.3f %.3f %d/%d %d/%d signs %d", path, score.Recall, score.Precision, score.Code, score.Codes, score.Heads, score.AllHds, score.Signs)
				}
			}
		}
		t.Log(row(corpus.Name, sum, indexes))
		all.Add(sum)
		allIndexes += indexes
	}
	t.Log(row("all", all, allIndexes))
}
