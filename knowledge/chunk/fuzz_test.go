package chunk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"footnote/knowledge"
	"footnote/knowledge/extract"
)

// holdInvariants checks what is true of the chunks of any page.
func holdInvariants(t *testing.T, markdown string, chunks []knowledge.Chunk) {
	t.Helper()
	covered := map[int]bool{}
	kept := 0
	for i, c := range chunks {
		if c.Ordinal != i {
			t.Errorf("chunk %d has ordinal %d", i, c.Ordinal)
		}
		if c.FirstLine < 1 || c.LastLine < c.FirstLine {
			t.Errorf("chunk %d spans lines %d to %d", i, c.FirstLine, c.LastLine)
		}
		if strings.TrimSpace(c.Text) == "" {
			t.Errorf("chunk %d is empty", i)
		}
		size := utf8.RuneCountInString(c.Text)
		limit := MaxBlock + 1
		blocks := scan(c.Text, nil)
		if !holdsBlock(blocks) {
			limit = MaxProse
		}
		if size >= limit {
			t.Errorf("chunk %d has %d characters, want fewer than %d:\n%q", i, size, limit, c.Text)
		}
		for _, b := range blocks {
			if b.kind == fence && b.closing == "" {
				t.Errorf("chunk %d leaves a fence open:\n%s", i, c.Text)
			}
		}
		for line := c.FirstLine; line <= c.LastLine; line++ {
			covered[line] = true
		}
		kept += ink(c.Text)
	}
	total, number := 0, 0
	for line := range strings.Lines(markdown) {
		number++
		if ink(line) == 0 {
			continue
		}
		total += ink(line)
		if !covered[number] {
			t.Errorf("line %d is in no chunk: %q", number, line)
		}
	}
	if kept < total {
		t.Errorf("the chunks have %d characters of the page's %d", kept, total)
	}
}

func holdsBlock(blocks []block) bool {
	for _, b := range blocks {
		if b.kind == fence || b.kind == table {
			return true
		}
	}
	return false
}

// ink counts the characters that are not white space or quotation marks.
func ink(s string) (n int) {
	for _, r := range s {
		if !unicode.IsSpace(r) && r != '>' {
			n++
		}
	}
	return n
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"", "text", "# A\n\n## B\n\ntext\n", "```go\ncode\n\nmore\n", "> ```\n> a\nb\n", ">\v",
		"- a\n- b\n\n  c\n\n  ```\n  d\n  ```\n1. e\n", "| a | b |\n| --- | --- |\n| c | d |\n",
		"text\na | b\n--- | ---\nc | d\n", "~~~\n```\n~~~\n", strings.Repeat("word ", 400), strings.Repeat("x", 9000),
		"```\n" + strings.Repeat("line of code\n\n", 900) + "```\n", "- ```\n" + strings.Repeat("  line of code\n", 900) + "  ```\n",
		"| a | b |\n| --- | --- |\n" + strings.Repeat("| c | d |\n", 1200), "# " + strings.Repeat("long ", 700), "- - - -\n>>> > -\n", "\\# no\n\r\n\t- x\r\n",
		strings.Repeat("كلمة ", 500), "x" + strings.Repeat("\f", 1200), "Title\n===\n\ntext\n", "```\n" + strings.Repeat("y", 20000) + "\n```\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		doc, err := extract.Markdown([]byte(markdown), nil)
		if err != nil {
			return
		}
		chunks := Split("Title", doc.Markdown, doc.Headings)
		holdInvariants(t, doc.Markdown, chunks)
		terms := make([]knowledge.Heading, 0, len(doc.Headings))
		for _, h := range doc.Headings { // the same lines as terms
			terms = append(terms, knowledge.Heading{Level: knowledge.TermLevel, Text: h.Text, Anchor: "a", Line: h.Line})
		}
		holdInvariants(t, doc.Markdown, Split("", doc.Markdown, terms))
	})
}

func TestInvariantsOnPages(t *testing.T) {
	pages, err := filepath.Glob("../../test/extraction/testdata/*/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no sample pages: %v", err)
	}
	for _, page := range pages {
		body, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := extract.HTML(body, pageURL)
		if err != nil {
			t.Fatal(err)
		}
		chunks := Split(doc.Title, doc.Markdown, doc.Headings)
		t.Run(filepath.Base(page), func(t *testing.T) { holdInvariants(t, doc.Markdown, chunks) })
	}
}
