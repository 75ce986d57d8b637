package extract

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inline writes an element that stands inside a line.
func (w *writer) inline(n *html.Node) {
	switch n.DataAtom {
	case atom.Br:
		w.lineBreak()
	case atom.A:
		w.anchor(n)
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp:
		w.codeSpan(n)
	case atom.Strong, atom.B:
		w.mark(n, &w.strong, "**")
	case atom.Em, atom.I, atom.Var, atom.Dfn:
		w.mark(n, &w.em, "*")
	case atom.Del, atom.S, atom.Strike:
		depth := 0
		w.mark(n, &depth, "~~")
	case atom.Img:
		w.image(n)
	case atom.Sup:
		w.superscript(n)
	case atom.Q:
		w.addText("“")
		w.children(n)
		w.addText("”")
	case atom.Rt, atom.Rp:
	default:
		w.children(n)
		if n.Namespace == "svg" {
			w.space = true
		}
	}
}

// lineBreak keeps a forced break in a paragraph; two in a row end it.
func (w *writer) lineBreak() {
	switch {
	case w.flat == inCell:
		w.parted = len(w.text) > 0
	case w.flat != blocks || w.code > 0:
		w.space = true
	case len(w.text) == 0:
	case w.text[len(w.text)-1] == '\n':
		w.flush()
	default:
		w.space = false
		w.text = append(w.text, '\n')
	}
}

// anchor writes a link with its absolute address, or only the text where it leads to no
// web page.
func (w *writer) anchor(n *html.Node) {
	if permalink(n) {
		return
	}
	href := attr(n, "href")
	if href == "" {
		w.children(n)
		return
	}
	address := w.page.resolve(href)
	if address == "" || w.flat == inHeading || w.code > 0 || w.page.inside[n]&holdsBlock != 0 {
		w.link++
		w.children(n)
		w.link--
		return
	}
	start, opened := len(w.text), w.opened
	w.link++
	w.children(n)
	w.link--
	if strings.ContainsAny(address, "()") {
		address = "<" + address + ">"
	}
	w.wrap(start, opened, "[", "]("+address+")")
}

// codeSpan writes a code span; spans that touch become one.
func (w *writer) codeSpan(n *html.Node) {
	if w.code > 0 || w.flat == inHeading || w.page.inside[n]&holdsBlock != 0 {
		w.children(n)
		return
	}
	start, opened := len(w.text), w.opened
	w.code++
	w.children(n)
	w.code--
	if opened != w.opened || start >= len(w.text) {
		return
	}
	written := w.text[start:]
	if written[0] != ' ' && start > 1 && w.text[start-1] == '`' && w.text[start-2] != '`' && bytes.IndexByte(written, '`') < 0 {
		copy(w.text[start-1:], written)
		w.text[len(w.text)-1] = '`'
		return
	}
	if bytes.IndexByte(written, '`') < 0 {
		w.wrap(start, opened, "`", "`")
		return
	}
	w.wrap(start, opened, "`` ", " ``")
}

// mark writes emphasis once however deep it nests, and none around code alone, where it
// only says that a word of code is a placeholder.
func (w *writer) mark(n *html.Node, depth *int, sign string) {
	if *depth > 0 || w.code > 0 || w.flat == inHeading {
		w.children(n)
		return
	}
	start, opened := len(w.text), w.opened
	*depth++
	w.children(n)
	*depth--
	if opened != w.opened || start >= len(w.text) {
		return
	}
	written := bytes.TrimSpace(w.text[start:])
	if len(written) == 0 || sign == "*" && written[0] == '`' && bytes.IndexByte(written[1:], '`') == len(written)-2 {
		return
	}
	if bytes.IndexFunc(written, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return
	}
	w.wrap(start, opened, sign, sign)
}

// image keeps what an image says of itself. One inside a link is a button.
func (w *writer) image(n *html.Node) {
	alt := strings.Join(strings.Fields(attr(n, "alt")), " ")
	if alt == "" || w.flat == inHeading || w.link > 0 {
		return
	}
	address := w.page.resolve(attr(n, "src"))
	if address == "" || w.flat != blocks {
		w.addText(alt)
		return
	}
	start, opened := len(w.text), w.opened
	w.addText(alt)
	w.wrap(start, opened, "![", "](<"+address+">)")
}

// superscript keeps 2<sup>10</sup> from reading 210.
func (w *writer) superscript(n *html.Node) {
	last, _ := utf8.DecodeLastRune(w.text)
	t := oneLine(n)
	if t != "" && !w.space && !w.parted && (unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')') && strings.Trim(t, "0123456789+-nNkx") == "" {
		w.addText("^")
	}
	w.children(n)
}
