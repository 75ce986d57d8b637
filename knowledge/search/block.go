package search

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// BlockKind says what a block of a passage is.
type BlockKind int

// The kinds of block.
const (
	Prose   BlockKind = iota // a paragraph
	Item                     // a list item's paragraph
	Row                      // a table's row, its cells between middle dots
	Heading                  // a section's title
	Code                     // a fenced or indented block
)

// Block is a piece of a passage in reading order, freed of its markup: Text is what a
// person reads, on one line except for Code.
type Block struct {
	Kind BlockKind
	Text string
	Info string // of Code: the language that its fence names

	code []span // of Text, what stood in code marks
}

type span struct{ from, to int }

// Blocks reads a passage's Markdown.
func Blocks(markdown string) []Block {
	source := []byte(markdown)
	r := blockReader{source: source}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	r.children(doc, Prose)
	return r.out
}

type blockReader struct {
	source []byte
	out    []Block
}

func (r *blockReader) children(parent ast.Node, kind BlockKind) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			r.lines(n, Heading)
		case *ast.Paragraph, *ast.TextBlock:
			r.lines(n, kind)
		case *ast.ListItem:
			r.children(n, Item)
		case *ast.FencedCodeBlock:
			r.add(Block{Kind: Code, Text: strings.TrimRight(string(n.Lines().Value(r.source)), "\n"), Info: string(n.Language(r.source))})
		case *ast.CodeBlock:
			r.add(Block{Kind: Code, Text: strings.TrimRight(string(n.Lines().Value(r.source)), "\n")})
		case *east.TableHeader, *east.TableRow:
			r.lines(n, Row)
		case *ast.HTMLBlock:
			r.placeholderBlock(n, kind)
		case *ast.ThematicBreak:
		default:
			r.children(n, kind)
		}
	}
}

func (r *blockReader) add(b Block) {
	if strings.TrimSpace(b.Text) != "" {
		r.out = append(r.out, b)
	}
}

// lines adds the block that n's inline content makes.
func (r *blockReader) lines(n ast.Node, kind BlockKind) {
	var w lineWriter
	if kind == Row {
		for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if w.b.Len() > 0 {
				w.write(" · ")
			}
			r.inline(&w, cell)
		}
	} else {
		r.inline(&w, n)
	}
	r.add(Block{Kind: kind, Text: strings.TrimRight(w.b.String(), " "), code: w.code})
}

func (r *blockReader) inline(w *lineWriter, parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			w.write(html.UnescapeString(string(util.UnescapePunctuations(n.Segment.Value(r.source)))))
			if n.SoftLineBreak() || n.HardLineBreak() {
				w.write(" ")
			}
		case *ast.String:
			w.write(string(n.Value))
		case *ast.CodeSpan:
			w.space()
			from := w.b.Len()
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					w.write(string(t.Segment.Value(r.source)))
				}
			}
			if w.b.Len() > from {
				w.code = append(w.code, span{from, w.b.Len()})
			}
		case *ast.AutoLink:
			w.write(string(n.Label(r.source)))
		case *ast.RawHTML:
			if raw := string(n.Segments.Value(r.source)); placeholder(raw) {
				w.write(raw)
			}
		default:
			r.inline(w, n)
		}
	}
}

// placeholderBlock adds the lines of what CommonMark takes for a block of HTML and a person
// for a line that begins with <name>.
func (r *blockReader) placeholderBlock(n *ast.HTMLBlock, kind BlockKind) {
	raw := string(n.Lines().Value(r.source))
	if !placeholder(raw) {
		return
	}
	var w lineWriter
	w.write(raw)
	r.add(Block{Kind: kind, Text: w.b.String()})
}

// placeholder says that s begins with a name between angle brackets that stands for
// something, as in --depth=<n>: the extractor leaves these as they are, and writes no HTML.
// Pages that are served as Markdown do have tags: those of HTML that authors use there, and
// those with attributes.
func placeholder(s string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimLeft(s, " "), "<"), ">")
	if !ok || name == "" || strings.ContainsAny(name, "=!?\"'") || strings.HasPrefix(name, "/") {
		return false
	}
	switch strings.ToLower(strings.TrimRight(name, " /")) {
	case "a", "abbr", "article", "aside", "b", "big", "blockquote", "br", "center", "code", "dd", "del", "details", "div", "dl",
		"dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "iframe",
		"img", "ins", "kbd", "li", "main", "mark", "nav", "ol", "p", "picture", "pre", "q", "s", "samp", "script", "section",
		"small", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "tfoot", "th",
		"thead", "tr", "tt", "u", "ul", "var", "video":
		return false
	}
	return true
}

// lineWriter writes one line: white space of any kind and length becomes one space.
type lineWriter struct {
	b       strings.Builder
	pending bool
	code    []span
}

func (w *lineWriter) write(s string) {
	for _, c := range s {
		switch {
		case unicode.IsSpace(c):
			w.pending = true
			continue
		case c == utf8.RuneError || unicode.IsControl(c):
			continue
		}
		w.space()
		w.b.WriteRune(c)
	}
}

// space writes the space that is due.
func (w *lineWriter) space() {
	if w.pending && w.b.Len() > 0 {
		w.b.WriteByte(' ')
	}
	w.pending = false
}

// Markdown is Text[from:to] as CommonMark, with its code marks; for Code it is the whole
// block between fences.
func (b Block) Markdown(from, to int) string {
	var out strings.Builder
	if b.Kind == Code {
		fence := "```"
		for strings.Contains(b.Text, fence) {
			fence += "`"
		}
		info := b.Info
		if strings.Contains(info, "`") {
			info = "" // a fence of backticks cannot carry it, and would be none
		}
		return fence + info + "\n" + b.Text + "\n" + fence
	}
	at := from
	for _, c := range b.code {
		if c.from < at || c.to > to {
			continue
		}
		escape(&out, b.Text, at, c.from)
		ticks := "`"
		for strings.Contains(b.Text[c.from:c.to], ticks) {
			ticks += "`"
		}
		pad := ""
		if strings.HasPrefix(b.Text[c.from:c.to], "`") || strings.HasSuffix(b.Text[c.from:c.to], "`") {
			pad = " "
		}
		out.WriteString(ticks + pad + b.Text[c.from:c.to] + pad + ticks)
		at = c.to
	}
	escape(&out, b.Text, at, to)
	return out.String()
}

// Escape writes one line of text so that CommonMark reads it as plain text.
func Escape(text string) string {
	var b strings.Builder
	escape(&b, text, 0, len(text))
	return b.String()
}

// escape writes text[from:to] so that CommonMark reads it as plain text. What means
// nothing where it stands is left alone: max_connections stays readable in any client.
func escape(out *strings.Builder, text string, from, to int) {
	for i := from; i < to; i++ {
		c := text[i]
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		special := false
		switch c {
		case '*', '`', '~': // one ~ is enough for many a client to strike out what follows
			special = true
		case '\\':
			special = i == to-1 || next < utf8.RuneSelf && unicode.In(rune(next), unicode.P, unicode.S)
		case '_':
			special = i == from || i == to-1 || !wordBefore(text, i) || !wordAfter(text, i+1)
		case '<':
			special = unicode.IsLetter(rune(next)) || strings.IndexByte("/!?", next) >= 0
		case '&':
			special = next == '#' || unicode.IsLetter(rune(next))
		case ']':
			special = strings.IndexByte("([:", next) >= 0
		case '#', '>', '+', '-', '=':
			special = out.Len() == 0 && (next == ' ' || next == 0 || next == c || c == '>') && !optionAt(text[i:])
		case '.', ')':
			special = (next == ' ' || next == 0) && out.Len() > 0 && strings.Trim(out.String(), "0123456789") == ""
		}
		if special {
			out.WriteByte('\\')
		}
		out.WriteByte(c)
	}
}

// optionAt says that text begins with an option such as --no-verify, which is no list.
func optionAt(text string) bool {
	return len(text) > 2 && text[:2] == "--" && wordAfter(text, 2)
}

func wordBefore(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return i > 0 && (unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' && wordBefore(text, i-1))
}

func wordAfter(text string, i int) bool {
	r, n := utf8.DecodeRuneInString(text[i:])
	return i < len(text) && (unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' && wordAfter(text, i+n))
}
