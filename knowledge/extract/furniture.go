package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fate is what the cleaner decides about an element.
type fate uint8

const (
	keep       fate = iota
	drop            // furniture, or text that no reader sees
	contents        // a table of contents: its links count, its text goes
	admonition      // a note or warning: a quotation with a label
	panel           // what a tab opens
)

// facts are the attributes of an element that the writer asks for, read once.
type facts struct {
	id, name, class, role, style string
	hidden, ariaHidden           bool
}

func look(n *html.Node) (f facts) {
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "id":
			f.id = a.Val
		case "name":
			f.name = a.Val
		case "class":
			f.class = a.Val
		case "role":
			f.role = a.Val
		case "style":
			f.style = a.Val
		case "hidden":
			f.hidden = true
		case "aria-hidden":
			f.ariaHidden = a.Val == "true"
		}
	}
	return f
}

// judge decides about n from its tag, role, id, classes and visibility.
func (s *survey) judge(n *html.Node, f *facts) fate {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Button,
		atom.Input, atom.Select, atom.Textarea, atom.Option, atom.Datalist, atom.Link, atom.Meta, atom.Title, atom.Head, atom.Nav, atom.Footer,
		atom.Audio, atom.Video, atom.Canvas:
		if n.Namespace == "" {
			return drop
		}
	case atom.Form:
		if s.inside[n]&(holdsHeading|holdsPre) == 0 {
			return drop
		}
	}
	verdict := keep
	switch f.role {
	case "navigation", "search", "banner", "contentinfo", "tablist", "menu", "menubar", "toolbar":
		return drop
	case "tabpanel":
		verdict = panel
	}
	switch f.id {
	case "toc", "table-of-contents":
		return contents
	case "comments_section", "copy-path", "toggle-all-docs":
		return drop
	case "footer":
		return drop
	}
	if f.class != "" {
		if v := judgeClasses(n, f.class); v != keep {
			verdict = v
		}
	}
	switch {
	case verdict == drop, verdict == contents, verdict == panel:
		return verdict
	case f.ariaHidden:
		return drop
	case (f.hidden || f.style != "" && invisible(f.style)) && n.DataAtom != atom.Details && !s.opens(f.id):
		return drop
	}
	return verdict
}

func judgeClasses(n *html.Node, class string) fate {
	verdict, tokens, last := keep, 0, ""
	for token := range strings.FieldsSeq(class) {
		tokens++
		last = token
		if v := judgeClass(n, token); v != keep {
			verdict = v
			if v == drop {
				return drop
			}
		}
	}
	if verdict == keep && tokens == 1 && n.DataAtom == atom.Div {
		switch last {
		case "note", "warning", "tip", "caution", "important", "danger", "hint":
			return admonition
		}
	}
	return verdict
}

func judgeClass(n *html.Node, token string) fate {
	switch token {
	case "md-sidebar", "sphinxsidebar", "toc-box", "nosearch", "navheader", "navfooter", "breadcrumbs",
		"theme-doc-breadcrumbs", "pagination-nav", "theme-doc-footer", "table-of-contents", "md-source-file",
		"edit-this-page", "theme-edit-this-page", "docnav", "qview", "langlist", "nav-wrapper", "nav-wide-wrapper",
		"sr-only", "visually-hidden", "skip-link", "linenos", "linenodiv", "gutter", "rightside", "src-link",
		"anchorjs-link", "tabbed-labels", "headerlink", "hash-link", "permalink", "header-anchor":
		return drop
	case "toc", "localtoc", "contents":
		if n.DataAtom == atom.Div || n.DataAtom == atom.Details || n.DataAtom == atom.Aside {
			if token != "contents" || hasToken(attr(n, "class"), "topic") {
				return contents
			}
		}
	case "indexdiv", "indextable": // DocBook's and Sphinx's printed indexes
		return contents
	case "genanchor", "id_link", "src", "copybtn":
		if n.DataAtom == atom.A {
			return drop
		}
	case "mark":
		if n.DataAtom == atom.A && strings.HasPrefix(attr(n, "href"), "#") {
			return drop
		}
	case "anchor":
		if n.DataAtom == atom.A && n.FirstChild == nil {
			return drop
		}
	case "sidebar", "nav":
		if token == "nav" && n.DataAtom == atom.Div {
			return drop
		}
		if n.DataAtom == atom.Nav {
			return drop
		}
	case "admonition", "admonitionblock", "theme-admonition", "markdown-alert", "custom-block", "alert":
		return admonition
	case "tabbed-block", "sphinx-tabs-panel", "tab-pane":
		return panel
	}
	return keep
}

// invisible says whether a style keeps text from every reader.
func invisible(style string) bool {
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		property, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(strings.TrimSpace(value), "!")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(property) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "font-size", "opacity":
			if number, isNumber := leadingNumber(value); isNumber && number == 0 {
				return true
			}
		case "left", "top", "text-indent":
			if number, isNumber := leadingNumber(value); isNumber && number <= -999 {
				return true
			}
		}
	}
	return false
}

// leadingNumber reads the number that a CSS value begins with: "0.8em" is 0.8.
func leadingNumber(value string) (float64, bool) {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
	f, err := strconv.ParseFloat(number, 64)
	return f, err == nil
}

// permalink says whether an anchor's text is only the sign that links a heading to
// itself.
func permalink(n *html.Node) bool {
	only := n.FirstChild
	if only == nil || only.NextSibling != nil {
		return false
	}
	if only.Type == html.ElementNode {
		return permalink(only)
	}
	switch strings.TrimSpace(only.Data) {
	case "¶", "#", "§", "🔗", "\u200b":
		return true
	}
	return false
}
