package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pre writes preformatted text verbatim inside a fence.
func (w *writer) pre(n *html.Node) {
	if w.flat != blocks {
		w.boundary()
		w.codeSpan(n)
		w.boundary()
		return
	}
	w.flush()
	code := verbatim(nil, n)
	code = bytes.TrimRight(code, "\n ")
	for len(bytes.TrimSpace(firstLine(code))) == 0 && len(code) > 0 {
		code = code[min(len(firstLine(code))+1, len(code)):]
	}
	if len(code) == 0 {
		return
	}
	w.prose += len(code)
	w.pending = ""
	fence := fenceFor(code)
	w.open()
	w.out = append(w.out, fence...)
	w.out = append(w.out, language(n)...)
	for line := range bytes.SplitSeq(code, []byte{'\n'}) {
		w.open()
		w.out = append(w.out, bytes.TrimSuffix(line, []byte{'\r'})...)
		if len(line) == 0 {
			w.out = bytes.TrimRight(w.out, " ")
		}
	}
	w.open()
	w.out = append(w.out, fence...)
	w.owed = 2
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	return line
}

// fenceFor is a fence longer than any run of backticks in code.
func fenceFor(code []byte) string {
	longest, run := 0, 0
	for _, c := range code {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", max(3, longest+1))
}

// verbatim appends the text below n as it stands, less line numbers and buttons.
func verbatim(code []byte, n *html.Node) []byte {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			code = append(code, c.Data...)
		case html.ElementNode:
			if c.DataAtom == atom.Br {
				code = append(code, '\n')
				continue
			}
			if notCode(c) {
				continue
			}
			code = verbatim(code, c)
			switch c.DataAtom {
			case atom.Div, atom.P, atom.Li, atom.Tr:
				if len(code) > 0 && code[len(code)-1] != '\n' {
					code = append(code, '\n')
				}
			}
		}
	}
	return code
}

func notCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Button, atom.Template, atom.Noscript:
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class":
			for token := range strings.FieldsSeq(a.Val) {
				switch token {
				case "linenos", "lineno", "linenodiv", "gutter", "line-number", "line-numbers-rows", "hljs-ln-numbers", "headerlink", "copybtn", "sr-only", "visually-hidden":
					return true
				}
			}
		case "style":
			if invisible(a.Val) {
				return true
			}
		case "hidden":
			return true
		}
	}
	return false
}

// language is the name of a block's programming language: on itself, its <code>, or up to
// three elements around it.
func language(n *html.Node) string {
	for up, i := n, 0; up != nil && i < 4; up, i = up.Parent, i+1 {
		if name := languageOf(up); name != "" {
			return name
		}
		if i == 0 {
			if code := first(n, atom.Code); code != nil {
				if name := languageOf(code); name != "" {
					return name
				}
			}
		}
	}
	return ""
}

func languageOf(n *html.Node) string {
	class, data := "", ""
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "class":
			class = n.Attr[i].Val
		case "data-lang", "data-language":
			data = n.Attr[i].Val
		}
	}
	name, take := "", false
	for token := range strings.FieldsSeq(class) {
		if take {
			name = token
			break
		}
		if token == "brush:" || token == "sourceCode" {
			take = true
			continue
		}
		for _, prefix := range [...]string{"language-", "lang-", "highlight-source-", "highlight-", "brush:"} {
			if after, ok := strings.CutPrefix(token, prefix); ok && name == "" {
				name = after
			}
		}
	}
	if name == "" {
		name = data
	}
	name = strings.TrimRight(name, ";")
	switch name {
	case "default", "none", "text", "source-wrap", "plaintext":
		return ""
	}
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_+#.-") != "" {
		return ""
	}
	return name
}
