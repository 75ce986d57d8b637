package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"footnote/knowledge"
)

// list writes a list. One whose items hold headings is layout: its items are written as
// blocks.
func (w *writer) list(n *html.Node) {
	if w.flat != blocks || w.page.inside[n]&holdsHeading != 0 {
		w.block(n)
		return
	}
	nested := len(w.text) > 0 && n.Parent != nil && n.Parent.DataAtom == atom.Li
	w.flush()
	if nested {
		w.owed = 1
	}
	number, err := strconv.Atoi(attr(n, "start"))
	if err != nil || number < 0 || number > 1<<20 {
		number = 1
	}
	simple := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || c.DataAtom != atom.Li {
			w.node(c)
			continue
		}
		f := look(c)
		if v := w.page.judge(c, &f); v == drop || v == contents {
			continue
		}
		w.flush()
		if simple {
			w.owed = min(w.owed, 1)
		}
		marker := "- "
		if n.DataAtom == atom.Ol {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		if id := anchorOf(c, &f); id != "" {
			w.pending = id
		}
		gaps, size := w.gaps, len(w.out)
		if w.owed > 1 {
			gaps++ // the blank line before the item is not one inside it
		}
		w.item(marker, func() { w.children(c) })
		simple = len(w.out) > size && w.gaps <= gaps
	}
	w.owed = min(2, len(w.out))
}

// item writes one item behind its marker.
func (w *writer) item(marker string, body func()) {
	depth := len(w.prefix)
	w.push(marker, strings.Repeat(" ", len(marker)))
	body()
	w.flush()
	w.pop(depth)
}

// definitions writes a definition list: each entry is an item that opens with its terms
// in bold. A term that has an anchor is kept as a mark, see knowledge.TermLevel.
func (w *writer) definitions(n *html.Node) {
	if w.flat != blocks || w.page.inside[n]&holdsHeading != 0 {
		w.block(n)
		return
	}
	w.flush()
	depth, inEntry, afterTerm := len(w.prefix), false, false
	leave := func() {
		if inEntry {
			w.flush()
			w.pop(depth)
			inEntry = false
		}
	}
	var entries func(*html.Node)
	entries = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			f := look(c)
			if v := w.page.judge(c, &f); v == drop || v == contents {
				continue
			}
			switch c.DataAtom {
			case atom.Dt:
				if !afterTerm {
					leave()
				}
				if !inEntry {
					w.push("- ", "  ")
					inEntry = true
				} else {
					w.owed = 1
				}
				afterTerm = true
				w.term(c, &f)
			case atom.Dd:
				if !inEntry {
					w.push("- ", "  ")
					inEntry = true
				}
				afterTerm = false
				w.children(c)
				w.flush()
			case atom.Div:
				entries(c)
			default:
				w.node(c)
			}
		}
	}
	entries(n)
	leave()
}

// term writes one <dt>.
func (w *writer) term(n *html.Node, f *facts) {
	w.pending = ""
	anchor := w.headingAnchor(n, f)
	w.flat = inTerm
	start, opened := len(w.text), w.opened
	name := ""
	if hasToken(f.class, "sig") {
		w.codeSpan(n)
		name = strings.Trim(string(w.text[start:]), "` ") // asterisks in it are of the signature
		w.wrap(start, opened, "**", "**")
	} else {
		w.label(n)
		name = strings.NewReplacer("**", "", "`", "", "\n", " ").Replace(string(w.text))
	}
	w.flat = blocks
	if len(w.text) == 0 {
		w.flush()
		return
	}
	w.flush()
	if anchor != "" {
		w.headings = append(w.headings, knowledge.Heading{Level: knowledge.TermLevel, Text: withoutLinks(strings.TrimSpace(name)), Anchor: anchor, Line: w.lines + 1})
	}
	w.pending = ""
}

// withoutLinks takes the addresses out of a line of Markdown.
func withoutLinks(line string) string {
	for {
		middle := strings.Index(line, "](")
		if middle < 0 {
			return line
		}
		end := strings.IndexByte(line[middle:], ')')
		start := strings.LastIndexByte(line[:middle], '[')
		if end < 0 || start < 0 {
			return line
		}
		line = line[:start] + line[start+1:middle] + line[middle+end+1:]
	}
}
