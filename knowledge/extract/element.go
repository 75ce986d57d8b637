package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"footnote/knowledge"
)

// element writes an element that is kept.
func (w *writer) element(n *html.Node, f *facts) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n, f)
	case atom.Pre, atom.Listing, atom.Xmp:
		w.pre(n)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		w.list(n)
	case atom.Dl:
		w.definitions(n)
	case atom.Table:
		w.table(n)
	case atom.Blockquote:
		if w.flat == blocks {
			w.quote(n, false)
			return
		}
		w.block(n)
	case atom.Summary, atom.Dt:
		if w.page.inside[n]&holdsHeading != 0 {
			w.block(n)
			return
		}
		w.boundary()
		w.label(n)
		w.boundary()
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Aside, atom.Header, atom.Details, atom.Figure,
		atom.Figcaption, atom.Address, atom.Center, atom.Li, atom.Dd, atom.Fieldset, atom.Legend, atom.Hr, atom.Form,
		atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Body, atom.Html, atom.Hgroup:
		w.block(n)
	default:
		w.inline(n)
	}
}

func (w *writer) block(n *html.Node) {
	w.boundary()
	w.children(n)
	w.boundary()
}

// label writes n's text as a bold line.
func (w *writer) label(n *html.Node) {
	start, opened := len(w.text), w.opened
	w.strong++
	w.children(n)
	w.strong--
	if w.strong == 0 && w.flat != inHeading {
		w.wrap(start, opened, "**", "**")
	}
}

// heading writes a heading, or a bold line where a heading would only be a label.
func (w *writer) heading(n *html.Node, f *facts) {
	w.boundary()
	if w.flat != blocks || w.quoted > 0 {
		w.label(n)
		w.boundary()
		return
	}
	anchor := w.headingAnchor(n, f)
	w.flat = inHeading
	w.children(n)
	w.flat = blocks
	text := trimSign(string(w.text))
	w.text = w.text[:0]
	w.space, w.parted = false, false
	w.opened++
	if text == "" {
		return
	}
	level := int(n.Data[1] - '0')
	w.open()
	w.headings = append(w.headings, knowledge.Heading{Level: level, Text: text, Anchor: anchor, Line: w.lines + 1})
	w.out = append(w.out, "######"[:level]...)
	w.out = append(w.out, ' ')
	w.out = append(w.out, text...)
	w.owed = 2
	w.pending = ""
}

// trimSign takes the sign of a permalink off a heading.
func trimSign(text string) string {
	text = strings.Trim(text, "¶§ \n")
	if rest, ok := strings.CutSuffix(text, " #"); ok {
		text = strings.TrimSpace(rest)
	}
	return text
}

// headingAnchor is the id that a link to the heading opens at: its own, one inside it,
// that of its permalink, or the latest before it that no text has followed.
func (w *writer) headingAnchor(n *html.Node, f *facts) string {
	if f.id != "" {
		return f.id
	}
	own := ""
	for d := range n.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		g := look(d)
		if id := anchorOf(d, &g); id != "" {
			return id
		}
		if d.DataAtom == atom.A && own == "" {
			if fragment, ok := strings.CutPrefix(attr(d, "href"), "#"); ok && (judgeClasses(d, g.class) == drop || permalink(d)) {
				own = fragment
			}
		}
	}
	if own != "" {
		return own
	}
	return w.pending
}

// quote writes a quotation; an admonition's title becomes its bold label.
func (w *writer) quote(n *html.Node, admonition bool) {
	w.flush()
	depth := len(w.prefix)
	w.push("> ", "> ")
	w.quoted++
	labelled := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if admonition && !labelled && c.Type == html.ElementNode {
			labelled = true
			if isTitle(attr(c, "class")) {
				w.boundary()
				w.label(c)
				w.boundary()
				continue
			}
		}
		w.node(c)
	}
	w.flush()
	w.quoted--
	w.pop(depth)
}

// isTitle says whether a class marks an admonition's title.
func isTitle(class string) bool {
	for token := range strings.FieldsSeq(class) {
		switch token {
		case "title", "admonition-title", "custom-block-title", "markdown-alert-title", "alert-heading":
			return true
		}
		if strings.HasPrefix(token, "admonitionHeading") {
			return true
		}
	}
	return false
}

// panelLabel writes the name of the tab that opens a panel.
func (w *writer) panelLabel(n *html.Node, f *facts) {
	label := w.page.tabLabels[f.id]
	if label == "" {
		label = w.page.tabLabels["#"+attr(n, "aria-labelledby")]
	}
	if label == "" {
		label = labelByOrder(n)
	}
	if label == "" || w.flat == inHeading {
		return
	}
	start, opened := len(w.text), w.opened
	w.addText(label)
	w.wrap(start, opened, "**", "**")
	w.boundary()
}

// maxTabs is how many tabs a row of them may have to be told apart by their order.
const maxTabs = 50

// labelByOrder finds the name of the tab that has the same place among the tabs as n
// among the panels.
func labelByOrder(n *html.Node) string {
	place := 0
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == html.ElementNode && s.DataAtom == n.DataAtom && attr(s, "role") == attr(n, "role") {
			if place++; place > maxTabs {
				return ""
			}
		}
	}
	for up, i := n, 0; up != nil && i < 3; up, i = up.Parent, i+1 {
		for s := up.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type != html.ElementNode || attr(s, "role") != "tablist" && !hasToken(attr(s, "class"), "tabbed-labels") {
				continue
			}
			for d := range s.Descendants() {
				if d.Type == html.ElementNode && (attr(d, "role") == "tab" || d.DataAtom == atom.Label) {
					if place == 0 {
						return oneLine(d)
					}
					place--
				}
			}
			return ""
		}
	}
	return ""
}

// oneLine is the text below n with its white space collapsed, without markup.
func oneLine(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return trimSign(strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\u200b", "")), " "))
}

// wrap puts marks around the text since start, unless a block has ended in between.
func (w *writer) wrap(start, opened int, before, after string) {
	if opened != w.opened || start >= len(w.text) {
		return
	}
	if skip := bytes.TrimLeft(w.text[start:], " \n"); len(skip) < len(w.text)-start {
		start = len(w.text) - len(skip)
	}
	if dash := []byte("— "); bytes.HasPrefix(w.text[start:], dash) && start > 0 {
		start += len(dash)
	}
	if start >= len(w.text) {
		return
	}
	w.text = append(w.text, before...)
	copy(w.text[start+len(before):], w.text[start:])
	copy(w.text[start:], before)
	w.text = append(w.text, after...)
}
