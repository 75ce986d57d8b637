package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"footnote/knowledge"
)

// flat says what one line of text is being gathered for, so that blocks inside it
// become separators.
type flat uint8

const (
	blocks    flat = iota // not flat: blocks are written as blocks
	inHeading             // no markup at all
	inTerm                // a definition list's term: markup, one line
	inCell                // a table's cell: markup, one line, bars escaped
)

// maxPrefix is how much indentation and quotation a line may begin with, in bytes:
// deeper nesting is written at this depth, so that a hostile page cannot make its
// Markdown quadratically larger than itself.
const maxPrefix = 32

// writer writes the Markdown of one container.
type writer struct {
	page     *survey
	out      []byte
	lines    int // line ends in out
	headings []knowledge.Heading

	prefix []byte // what lines begin with: quotation marks and indentation
	first  []byte // what the next line begins with instead, when a list item opens
	shared int    // how much of the prefix has stood since the last line
	owed   int    // line ends before the next block: 0 at the start, 1 or 2
	gaps   int    // blank lines written

	text    []byte // the open line of inline text, with '\n' for a forced break
	opened  int    // how many times text was begun anew
	space   bool   // white space is owed before the next character
	parted  bool   // a block's end is owed before the next character
	flat    flat
	code    int // depth of code elements
	strong  int
	em      int
	link    int
	quoted  int    // depth of quotations, where headings are labels
	pending string // the latest id that no text has followed yet

	prose, linked int // characters of text outside and inside links, in bytes
	listed        int // those of links in tables of contents, which are not written
}

// document writes the container n.
func (w *writer) document(n *html.Node) {
	w.children(n)
	w.flush()
	w.out = bytes.TrimRight(w.out, "\n ")
	if len(w.out) > 0 {
		w.out = append(w.out, '\n')
	}
}

// Pages with less text than this outside their links are indexes, in bytes, when they
// have more in them.
const indexProse = 120

// linkOnly says whether the container is an index.
func (w *writer) linkOnly() bool {
	return w.prose < indexProse && w.prose < w.linked+w.listed || w.prose*4 < w.linked
}

// push makes lines begin with first once and then with rest, which is as long.
func (w *writer) push(first, rest string) {
	if len(w.prefix)+len(rest) > maxPrefix {
		return
	}
	if w.first == nil {
		w.first = append(w.first, w.prefix...)
	}
	w.first = append(w.first, first...)
	w.prefix = append(w.prefix, rest...)
}

// pop takes the prefix back to length, as it was before a push.
func (w *writer) pop(length int) {
	w.prefix = w.prefix[:length]
	w.shared = min(w.shared, length)
	if w.first != nil {
		w.first = w.first[:min(length, len(w.first))]
		if bytes.Equal(w.first, w.prefix) {
			w.first = nil
		}
	}
}

// open begins a line, after the line ends that are owed.
func (w *writer) open() {
	for i := range w.owed {
		if i > 0 {
			w.out = append(w.out, bytes.TrimRight(w.prefix[:min(w.shared, len(w.prefix))], " ")...)
			w.gaps++
		}
		w.out = append(w.out, '\n')
		w.lines++
	}
	w.owed = 1
	w.shared = len(w.prefix)
	if w.first != nil {
		w.out = append(w.out, w.first...)
		w.first = nil
	} else {
		w.out = append(w.out, w.prefix...)
	}
}

// flush writes the open text as a paragraph.
func (w *writer) flush() {
	text := bytes.TrimRight(w.text, " \n")
	w.opened++
	w.space, w.parted = false, false
	w.text = w.text[:0]
	if len(text) == 0 {
		return
	}
	for len(text) > 0 {
		line, rest, more := bytes.Cut(text, []byte{'\n'})
		text = bytes.TrimLeft(rest, " \n")
		w.open()
		if looksLikeBlock(line) {
			w.out = append(w.out, '\\')
		}
		w.out = append(w.out, bytes.TrimRight(line, " ")...)
		if more {
			w.out = append(w.out, "  "...)
		}
	}
	w.owed = 2
}

// looksLikeBlock says whether a line of text would open a heading, a quotation or a
// fence.
func looksLikeBlock(line []byte) bool {
	switch line[0] {
	case '#':
		rest := bytes.TrimLeft(line, "#")
		return len(line)-len(rest) <= 6 && (len(rest) == 0 || rest[0] == ' ')
	case '>':
		return true
	case '`', '~':
		return len(line) >= 3 && line[1] == line[0] && line[2] == line[0]
	}
	return false
}

// boundary ends a block: the paragraph when blocks are written, a part of the line
// when not.
func (w *writer) boundary() {
	if w.flat == blocks {
		w.flush()
		return
	}
	if len(w.text) > 0 {
		w.parted = true
	}
}

// addText appends text with its white space collapsed.
func (w *writer) addText(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			if c > ' ' && c != 0x7f {
				if w.space || w.parted {
					w.separate()
				}
				w.text = append(w.text, c)
				w.count(1)
				if c == '|' && w.flat == inCell {
					w.text[len(w.text)-1] = '\\'
					w.text = append(w.text, '|')
				}
			} else if c == ' ' || c >= '\t' && c <= '\r' {
				w.space = true
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\u00a0' || r == '\u2028' || r == '\u2029' || r >= '\u2000' && r <= '\u200a' || r == '\u3000':
			w.space = true
		case r == '\u200b' || r == '\u00ad' || r == '\ufeff' || r >= 0xe0000 && r <= 0xe007f:
			// No reader sees these; words must be found without them.
		default:
			if w.space || w.parted {
				w.separate()
			}
			w.text = append(w.text, s[i:i+size]...)
			w.count(size)
		}
		i += size
	}
}

// count keeps the sums that tell an index from a page.
func (w *writer) count(size int) {
	w.pending = ""
	switch {
	case w.flat == inHeading:
	case w.link > 0:
		w.linked += size
	default:
		w.prose += size
	}
}

// separate writes the white space, or in a cell the dash, that is owed.
func (w *writer) separate() {
	parted := w.parted
	w.space, w.parted = false, false
	if len(w.text) == 0 {
		return
	}
	last := w.text[len(w.text)-1]
	switch {
	case parted && w.flat == inCell && last != '\n':
		w.text = append(bytes.TrimRight(w.text, " "), " — "...)
	case last != ' ' && last != '\n':
		w.text = append(w.text, ' ')
	}
}

// children writes what stands inside n.
func (w *writer) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

// node writes one node.
func (w *writer) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.addText(n.Data)
		return
	case html.ElementNode:
	default:
		return
	}
	f := look(n)
	switch w.page.judge(n, &f) {
	case drop:
		return
	case contents:
		w.listed += linkText(n, false)
		return
	case admonition:
		if w.flat == blocks {
			w.quote(n, true)
			return
		}
	case panel:
		w.boundary()
		w.panelLabel(n, &f)
		w.children(n)
		w.boundary()
		return
	}
	if id := anchorOf(n, &f); id != "" {
		w.pending = id
	}
	w.element(n, &f)
}

// anchorOf is the id that a link to n would name. The targets that DocBook makes for its
// printed index are none.
func anchorOf(n *html.Node, f *facts) string {
	if f.class == "indexterm" {
		return ""
	}
	if f.id == "" && n.DataAtom == atom.A {
		return f.name
	}
	return f.id
}

// linkText is how much of the text below n stands in links, in bytes.
func linkText(n *html.Node, inLink bool) (length int) {
	if n.Type == html.TextNode {
		if inLink {
			return len(strings.TrimSpace(n.Data))
		}
		return 0
	}
	inLink = inLink || n.DataAtom == atom.A && attr(n, "href") != ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		length += linkText(c, inLink)
	}
	return length
}
