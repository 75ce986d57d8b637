package extraction

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Floors that every run must reach; recall and precision are means over pages.
const (
	floorRecall    = .99
	floorPrecision = .97
	floorCode      = .995
)

// holdFloors fails the test where a sum is below a floor.
func holdFloors(t *testing.T, name string, s Score) {
	t.Helper()
	if s.Pages == 0 {
		t.Errorf("%s: no page was measured", name)
		return
	}
	n := float64(s.Pages)
	if recall := s.Recall / n; recall < floorRecall {
		t.Errorf("%s: recall %.4f, want at least %v", name, recall, floorRecall)
	}
	if precision := s.Precision / n; precision < floorPrecision {
		t.Errorf("%s: precision %.4f, want at least %v", name, precision, floorPrecision)
	}
	if code := share(s.Code, s.Codes); code < floorCode {
		t.Errorf("%s: %d of %d code blocks verbatim, want a share of at least %v", name, s.Code, s.Codes, floorCode)
	}
	if s.Signs > 0 {
		t.Errorf("%s: %d permalink signs left", name, s.Signs)
	}
}

// indexes are the samples that hold links alone.
func indexes(path string) bool {
	switch filepath.Base(path) {
	case "tutorial-sql.html", "genindex-Y.html", "ref_forms_index.html", "technical_api-index.html":
		return true
	}
	return false
}

func TestSamples(t *testing.T) {
	var all Score
	t.Logf(header, "corpus", "pages", "index", "recall", "precis", "code", "rows", "headings", "signs")
	for _, corpus := range Corpora() {
		pages, err := filepath.Glob(filepath.Join("testdata", corpus.Name, "*.html"))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no samples of %s: %v", corpus.Name, err)
		}
		var sum Score
		links := 0
		for _, path := range pages {
			body, doc := extracted(t, path)
			if doc.LinkOnly != indexes(path) {
				t.Errorf("%s: taken for an index: %v", path, doc.LinkOnly)
			}
			if doc.Title == "" {
				t.Errorf("%s: no title", path)
			}
			holdHeadings(t, path, doc.Markdown, doc.Headings)
			if doc.LinkOnly {
				links++
				continue
			}
			score, ok := Measure(body, corpus, doc.Markdown)
			if !ok {
				t.Errorf("%s: its body block is not found", path)
			}
			sum.Add(score)
		}
		t.Log(row(corpus.Name, sum, links))
		holdFloors(t, corpus.Name, sum)
		all.Add(sum)
	}
	t.Log(row("all", all, 0))
	if share(all.Heads, all.AllHds) < .97 {
		t.Errorf("%d of %d headings kept, want 97 of 100", all.Heads, all.AllHds)
	}
}

func TestMeasureCountsWhatIsLost(t *testing.T) {
	corpus := Corpora()[0]
	page := []byte("<body><h2>Head</h2><p>one two three four</p><pre>a b</pre><table><tr><td>x<td>y</table></body>")
	tests := []struct {
		name, markdown string
		want           Score
	}{
		{
			"all kept", "## Head\n\none two three four\n\n```\na b\n```\n\n| x | y |\n| --- | --- |\n",
			Score{Pages: 1, Recall: 1, Precision: 1, Code: 1, Codes: 1, Rows: 1, AllRows: 1, Heads: 1, AllHds: 1},
		},
		{
			"code unfenced, heading flat, row flat, sign left", "Head ¶\n\none two three four a b x y\n",
			Score{Pages: 1, Recall: 1, Precision: 1, Codes: 1, AllRows: 1, AllHds: 1, Signs: 1},
		},
		{
			"words lost and added", "## Head\n\none two other words\n",
			Score{Pages: 1, Recall: 3. / 9, Precision: 3. / 5, Codes: 1, AllRows: 1, Heads: 1, AllHds: 1},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Measure(page, corpus, test.markdown)
			if !ok {
				t.Fatal("the body block is not found")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
