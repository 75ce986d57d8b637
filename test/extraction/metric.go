// Package extraction measures how well knowledge/extract keeps what documentation pages
// say: words found and words added, code kept verbatim, rows and headings kept, no signs
// of permalinks, indexes told from pages.
//
// Kind: test. The truth is the generator's own body block, named by hand for each corpus,
// less its navigation.
package extraction

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Score is what one page, or the sum of several, came to.
type Score struct {
	Pages         int
	Recall        float64 // share of the truth's words that the Markdown has; a sum over pages
	Precision     float64 // share of the Markdown's words that the truth has; a sum over pages
	Code, Codes   int     // blocks kept verbatim, of all
	Rows, AllRows int     // table rows kept as rows, of all
	Heads, AllHds int     // headings kept as headings, of all
	Signs         int     // permalink signs and empty links left
}

// Add adds another page's score.
func (s *Score) Add(o Score) {
	s.Pages += o.Pages
	s.Recall += o.Recall
	s.Precision += o.Precision
	s.Code, s.Codes = s.Code+o.Code, s.Codes+o.Codes
	s.Rows, s.AllRows = s.Rows+o.Rows, s.AllRows+o.AllRows
	s.Heads, s.AllHds = s.Heads+o.Heads, s.AllHds+o.AllHds
	s.Signs += o.Signs
}

// linkTarget finds what a link of Markdown leads to.
var linkTarget = regexp.MustCompile(`\]\((<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)`)

// signs are what a permalink leaves behind when it is taken for text.
func signs() []string { return []string{"¶", "[§]", "[#](", "[]()", "[]("} }

// Measure holds the Markdown of a page against its truth. ok is false where the page has
// no body block.
func Measure(page []byte, corpus Corpus, markdown string) (s Score, ok bool) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return Score{}, false
	}
	body := find(root, corpus.Body)
	if body == nil {
		return Score{}, false
	}
	prune(body, func(n *html.Node) bool { return junk(n) || corpus.Drop != nil && corpus.Drop(n) })
	s.Pages = 1

	want, got := words(spaced(body)), words(linkTarget.ReplaceAllString(markdown, "] "))
	hits, wanted, given := 0, 0, 0
	for word, n := range want {
		wanted += n
		hits += min(n, got[word])
	}
	for _, n := range got {
		given += n
	}
	s.Recall, s.Precision = share(hits, wanted), share(hits, given)
	s.measureCode(body, markdown)
	s.measureLines(body, markdown)
	return s, true
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (s *Score) measureCode(body *html.Node, markdown string) {
	var kept strings.Builder
	for _, block := range fencedBlocks(markdown) {
		kept.WriteString("\x00" + trimmedLines(block))
	}
	for n := range body.Descendants() {
		if n.DataAtom != atom.Pre || has(n, func(d *html.Node) bool { return hasClass(d, "linenos") }) {
			continue
		}
		code := trimmedLines(codeText(n))
		if code == "" {
			continue
		}
		s.Codes++
		if strings.Contains(kept.String(), code) {
			s.Code++
		}
	}
}

// fencedBlocks gives what stands inside the fences of a page.
func fencedBlocks(markdown string) []string {
	var blocks []string
	var open strings.Builder
	marks := ""
	for line := range strings.Lines(markdown) {
		bare := strings.TrimSpace(strings.TrimLeft(line, " >-0123456789."))
		run := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case marks == "" && len(run) >= 3:
			marks = run
		case marks != "" && bare == marks:
			blocks = append(blocks, open.String())
			open.Reset()
			marks = ""
		case marks != "":
			open.WriteString(line)
		}
	}
	return blocks
}

func (s *Score) measureLines(body *html.Node, markdown string) {
	heads := map[string]bool{}
	rows, marks := 0, ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimLeft(line, " >-")
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		if len(run) >= 3 && marks == "" {
			marks = run
			continue
		}
		if marks != "" {
			if strings.TrimSpace(line) == marks {
				marks = ""
			}
			continue
		}
		if strings.HasPrefix(line, "#") {
			heads[letters(line)] = true
		}
		if strings.HasPrefix(line, "|") && strings.Trim(line, "|- \n") != "" {
			rows++
		}
		for _, sign := range signs() {
			s.Signs += strings.Count(line, sign)
		}
	}
	text := plain(body)
	for _, sign := range signs() { // a page may speak of them
		s.Signs -= strings.Count(text, sign)
	}
	s.Signs = max(s.Signs, 0)
	for n := range body.Descendants() {
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5:
			if text := letters(plain(n)); text != "" && !labels(n) {
				s.AllHds++
				if heads[text] {
					s.Heads++
				}
			}
		case atom.Table:
			if !has(n, func(d *html.Node) bool { return d.DataAtom == atom.Table || d.DataAtom == atom.Pre }) {
				has(n, func(d *html.Node) bool {
					if d.DataAtom == atom.Tr {
						s.AllRows++
					}
					return false
				})
			}
		}
	}
	s.Rows = min(rows, s.AllRows)
}

// labels says whether a heading is the label of a note, which is no section.
func labels(n *html.Node) bool {
	for up := range n.Ancestors() {
		if class("note", "warning", "tip", "caution", "important", "admonition")(up) {
			return true
		}
	}
	return false
}

// words counts the words of a text, a word being letters and digits.
func words(text string) map[string]int {
	count := map[string]int{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		count[word]++
	}
	return count
}

// letters keeps a text's letters and digits alone.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// trimmedLines is a text's lines less blank ones and the space around each.
func trimmedLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, " \t\r\n>"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// plain is the text below n.
func plain(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// codeText is the text below a pre, with its line breaks.
func codeText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		} else if d.DataAtom == atom.Br {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// spaced is the text below n with a space where a block ends.
func spaced(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		switch n.DataAtom {
		case atom.P, atom.Li, atom.Td, atom.Th, atom.Dt, atom.Dd, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.Pre, atom.Tr, atom.Br, atom.Button:
			b.WriteByte(' ')
		}
	}
	walk(n)
	return b.String()
}
