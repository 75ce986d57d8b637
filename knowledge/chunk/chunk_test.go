package chunk

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/knowledge"
	"footnote/knowledge/extract"
)

var pageURL = &url.URL{Scheme: "https", Host: "docs.test", Path: "/page.html"}

// split cuts Markdown whose headings are found as in a page served as Markdown.
func split(t *testing.T, markdown string) []knowledge.Chunk {
	t.Helper()
	doc, err := extract.Markdown([]byte(markdown), pageURL)
	if err != nil {
		t.Fatal(err)
	}
	return Split("Page", doc.Markdown, doc.Headings)
}

// splitHTML cuts what is extracted from the body of a page.
func splitHTML(t *testing.T, body string) []knowledge.Chunk {
	t.Helper()
	doc, err := extract.HTML([]byte("<title>Page</title><main>"+body+"</main>"), pageURL)
	if err != nil {
		t.Fatal(err)
	}
	return Split(doc.Title, doc.Markdown, doc.Headings)
}

func TestSplitKeepsSections(t *testing.T) {
	sentence := strings.Repeat("word ", 19) + "end."
	tests := []struct {
		name, markdown string
		want           []knowledge.Chunk
	}{
		{"empty", "", nil},
		{"blank", "\n \n", nil},
		{"text above the first heading has the title", "intro\n\n## B\n\ntext\n", []knowledge.Chunk{
			{Path: []string{"Page"}, FirstLine: 1, LastLine: 1, Text: "intro"},
			{Ordinal: 1, Path: []string{"Page", "B"}, FirstLine: 3, LastLine: 5, Text: "## B\n\ntext"},
		}},
		{"a heading without text stays with the section inside it", "# Messages\n\n## Send\n\ntext\n", []knowledge.Chunk{
			{Path: []string{"Messages", "Send"}, FirstLine: 1, LastLine: 5, Text: "# Messages\n\n## Send\n\ntext"},
		}},
		{"a heading without text is kept alone beside its sibling", "## A\n\n## B\n\ntext\n", []knowledge.Chunk{
			{Path: []string{"Page", "A"}, FirstLine: 1, LastLine: 1, Text: "## A"},
			{Ordinal: 1, Path: []string{"Page", "B"}, FirstLine: 3, LastLine: 5, Text: "## B\n\ntext"},
		}},
		{"a repeated section keeps each copy", "# T\n\na\n\n# T\n\na\n", []knowledge.Chunk{
			{Path: []string{"T"}, FirstLine: 1, LastLine: 3, Text: "# T\n\na"},
			{Ordinal: 1, Path: []string{"T"}, FirstLine: 5, LastLine: 7, Text: "# T\n\na"},
		}},
		{"levels five and six do not split", "#### D\n\na\n\n##### E\n\nb\n", []knowledge.Chunk{
			{Path: []string{"Page", "D"}, FirstLine: 1, LastLine: 7, Text: "#### D\n\na\n\n##### E\n\nb"},
		}},
		{"a sign in a fence is no heading", "# A\n\n```sh\n# no\n```\n", []knowledge.Chunk{
			{Path: []string{"A"}, FirstLine: 1, LastLine: 5, Text: "# A\n\n```sh\n# no\n```"},
		}},
		{"a skipped level and a return", "# A\n\na\n\n### C\n\nc\n\n## B\n\nb\n", []knowledge.Chunk{
			{Path: []string{"A"}, FirstLine: 1, LastLine: 3, Text: "# A\n\na"},
			{Ordinal: 1, Path: []string{"A", "C"}, FirstLine: 5, LastLine: 7, Text: "### C\n\nc"},
			{Ordinal: 2, Path: []string{"A", "B"}, FirstLine: 9, LastLine: 11, Text: "## B\n\nb"},
		}},
		{"paragraphs gather up to the aim", strings.Repeat(sentence+"\n\n", 11), []knowledge.Chunk{
			{Path: []string{"Page"}, FirstLine: 1, LastLine: 17, Text: strings.Repeat(sentence+"\n\n", 8) + sentence},
			{Ordinal: 1, Path: []string{"Page"}, FirstLine: 19, LastLine: 21, Text: sentence + "\n\n" + sentence},
		}},
		{"what introduces a fence goes with it", sentence + "\n\nLike this:\n\n```\n" + strings.Repeat("code\n", 200) + "```\n", []knowledge.Chunk{
			{Path: []string{"Page"}, FirstLine: 1, LastLine: 1, Text: sentence},
			{Ordinal: 1, Path: []string{"Page"}, FirstLine: 3, LastLine: 206, Text: "Like this:\n\n```\n" + strings.Repeat("code\n", 200) + "```"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := split(t, test.markdown)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitOpensAtAnchors(t *testing.T) {
	long := strings.Repeat("It sets how many there may be. ", 16)
	got := splitHTML(t, `<h1 id="top">Settings</h1><p>Intro.</p><h2>Plain</h2><p>Text.</p><h2 id="conn">Connections</h2>
<dl><dt id="GUC-PORT"><code>port</code></dt><dd><p>`+long+`</p></dd>
<dt id="GUC-MAX"><code>max_connections</code> (<code>integer</code>)</dt><dd><p>`+long+`</p><p>`+long+long+`</p></dd>
<dt id="GUC-A"><code>a</code></dt><dd>Small.</dd><dt id="GUC-B"><code>b</code></dt><dd>Small too.</dd></dl><p>`+long+`</p>`)
	type place struct{ Path, Anchor string }
	var places []place
	for _, c := range got {
		places = append(places, place{c.Breadcrumb(), c.Anchor})
	}
	want := []place{
		{"Settings", "top"},
		{"Settings > Plain", "top"},
		{"Settings > Connections > port", "GUC-PORT"},
		{"Settings > Connections > max_connections (integer)", "GUC-MAX"},
		{"Settings > Connections > max_connections (integer)", "GUC-MAX"},
		{"Settings > Connections", "GUC-A"}, // two small entries and the text after the list
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got[3].Text, "- **`max_connections` (`integer`)**") {
		t.Errorf("the passage of a setting begins %.60q", got[3].Text)
	}
	if strings.HasPrefix(got[4].Text, " ") {
		t.Errorf("a passage from inside the list is indented: %.60q", got[4].Text)
	}
}

func TestSplitCutsProse(t *testing.T) {
	tests := []struct{ name, markdown, ends string }{
		{"after a sentence", strings.Repeat("This is a sentence of the text. ", 100), "."},
		{"after an Arabic question", strings.Repeat("هل هذه جملة من النص؟ ", 150), "؟"},
		{"at a space", strings.Repeat("word ", 600), "word"},
		{"anywhere", strings.Repeat("x", 5000), "x"},
		{"between list items", strings.Repeat("- an item of a list that is long\n", 100), "long"},
		{"between lines", strings.Repeat("a line of a paragraph\n", 200), "paragraph"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			chunks := split(t, "## H\n\n"+test.markdown)
			if len(chunks) < 2 {
				t.Fatalf("%d chunks, want several", len(chunks))
			}
			for _, c := range chunks {
				if n := utf8.RuneCountInString(c.Text); n >= MaxProse || !strings.HasSuffix(c.Text, test.ends) {
					t.Errorf("a chunk of %d characters ends %q", n, c.Text[max(0, len(c.Text)-30):])
				}
			}
		})
	}
}

func TestSplitCutsBlocks(t *testing.T) {
	code := strings.Repeat("first line\nsecond line\n\n", 600)
	rows := strings.Repeat("| a cell | another cell |\n", 700)
	tests := []struct {
		name, markdown, begins, ends string
		chunks                       int
	}{
		{"a long fence is whole", "## H\n\n```go\n" + code[:7000] + "\n```\n", "## H\n\n```go\n", "\n```", 1},
		{"a longer one is cut at blank lines", "```go\n" + code + "```\n", "```go\nfirst line\n", "second line\n```", 2},
		{"a table repeats its header", "| A | B |\n| --- | --- |\n" + rows, "| A | B |\n| --- | --- |\n| a", "cell |", 3},
		{"a fence in a list keeps its indentation", "- ```go\n  " + strings.ReplaceAll(code, "\nsecond", "\n  second"), "", "```", 0},
		{"a fence that nothing closes is closed", "```\ncode\n", "```\ncode", "\n```", 1},
		{"a line longer than any passage", "```\n" + strings.Repeat("x", 20000) + "\n```\n", "```\nx", "x\n```", 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			chunks := split(t, test.markdown)
			if test.chunks != 0 && len(chunks) != test.chunks {
				t.Errorf("%d chunks, want %d", len(chunks), test.chunks)
			}
			for _, c := range chunks {
				if test.chunks != 0 && (!strings.HasPrefix(c.Text, test.begins) || !strings.HasSuffix(strings.ReplaceAll(c.Text, "\n\n```", "\n```"), test.ends)) {
					t.Errorf("a chunk begins %.40q and ends %q", c.Text, c.Text[max(0, len(c.Text)-40):])
				}
			}
			holdInvariants(t, test.markdown, chunks)
		})
	}
}

func TestDigest(t *testing.T) {
	base := []knowledge.Chunk{{Path: []string{"A", "B"}, Anchor: "b", FirstLine: 1, LastLine: 2, Text: "t"}}
	same := []knowledge.Chunk{{ID: 7, PageID: 3, Path: []string{"A", "B"}, Anchor: "b", FirstLine: 1, LastLine: 2, Text: "t"}}
	if Digest(base) != Digest(same) {
		t.Error("the ids that a store gives change the digest")
	}
	changes := map[string]func(*knowledge.Chunk){
		"text":   func(c *knowledge.Chunk) { c.Text = "u" },
		"path":   func(c *knowledge.Chunk) { c.Path = []string{"AB"} },
		"anchor": func(c *knowledge.Chunk) { c.Anchor = "" },
		"lines":  func(c *knowledge.Chunk) { c.FirstLine, c.LastLine = 2, 3 },
		"joint":  func(c *knowledge.Chunk) { c.Path, c.Anchor = []string{"A"}, "Bb" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			other := base[0]
			change(&other)
			if Digest(base) == Digest([]knowledge.Chunk{other}) {
				t.Error("the change is not seen")
			}
		})
	}
	if Digest(base) == Digest(append(base, base...)) || Digest(nil) == Digest(base) {
		t.Error("how many chunks there are is not seen")
	}
}

func ExampleSplit() {
	markdown := "# Messages\n\nAbout messages.\n\n## Send Text Message\n\nCall the endpoint.\n"
	headings := []knowledge.Heading{{Level: 1, Text: "Messages", Line: 1}, {Level: 2, Text: "Send Text Message", Anchor: "send", Line: 5}}
	for _, c := range Split("Messages", markdown, headings) {
		fmt.Printf("%d-%d %s #%s\n", c.FirstLine, c.LastLine, c.Breadcrumb(), c.Anchor)
	}
	// Output:
	// 1-3 Messages #
	// 5-7 Messages > Send Text Message #send
}

// A name or anchor without end is not kept with every chunk below it.
func TestSplitBoundsNames(t *testing.T) {
	long := strings.Repeat("name ", 50_000)
	headings := []knowledge.Heading{{Level: 2, Text: long, Anchor: long, Line: 1}}
	chunks := Split(long, "## "+long+"\n\nText.\n", headings)
	kept := 0
	for _, c := range chunks {
		kept = max(kept, len(strings.Join(c.Path, ""))+len(c.Anchor))
	}
	if len(chunks) < 2 || kept == 0 || kept > 2*maxName+len("……") {
		t.Errorf("%d chunks, of which one has names of %d bytes", len(chunks), kept)
	}
	if headings[0].Text != long {
		t.Error("the caller's headings were changed")
	}
}
