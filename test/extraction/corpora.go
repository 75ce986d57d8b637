package extraction

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Corpus is a tree of pages that one generator made.
type Corpus struct {
	Name string
	Root string // below usr/share/doc
	Body func(*html.Node) bool
	Drop func(*html.Node) bool // what of the body is navigation, nil when nothing is
}

// Corpora are the trees that extraction is measured on. A table of contents is navigation:
// its entries are the headings of other pages, and would be found instead of them.
func Corpora() []Corpus {
	return []Corpus{
		{Name: "postgresql", Root: "postgresql-doc-15/html", Body: body, Drop: class("navheader", "navfooter", "toc")},
		{Name: "python", Root: "python3.11/html", Body: class("body"), Drop: class("headerlink")},
		{Name: "django", Root: "python-django-doc/html", Body: id("yui-main"), Drop: either(class("headerlink", "sphinxsidebar"), divNav)},
		{Name: "git", Root: "git-doc", Body: body, Drop: id("footer", "toc")},
		{Name: "sqlite", Root: "sqlite3", Body: body, Drop: either(class("nosearch"), id("toc_sub"))},
		{Name: "debian-handbook", Root: "debian-handbook/html/ar-MA", Body: body, Drop: either(class("docnav", "toc"), id("title"))},
		{Name: "nodejs", Root: "nodejs/api", Body: id("apicontent"), Drop: class("mark")},
		{Name: "mkdocs", Root: "mkdocs/html", Body: role("main"), Drop: class("headerlink")},
		{Name: "sphinx-tabs", Root: "python3-sphinx-tabs/html", Body: class("body"), Drop: class("headerlink")},
	}
}

// match says whether a node is meant.
type match = func(*html.Node) bool

func body(n *html.Node) bool { return n.DataAtom == atom.Body }

func id(ids ...string) match {
	return func(n *html.Node) bool { return slices.Contains(ids, attr(n, "id")) }
}

func class(names ...string) match {
	return func(n *html.Node) bool {
		return slices.ContainsFunc(names, func(name string) bool { return hasClass(n, name) })
	}
}

func role(name string) match {
	return func(n *html.Node) bool { return attr(n, "role") == name }
}

func either(a, b match) match {
	return func(n *html.Node) bool { return a(n) || b(n) }
}

func divNav(n *html.Node) bool { return n.DataAtom == atom.Div && hasClass(n, "nav") }

// junk is what is text on no page.
func junk(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Nav, atom.Form:
		return true
	case atom.Button: // a tab's names what its panel is about
		return attr(n, "role") != "tab"
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, name string) bool {
	return n.Type == html.ElementNode && slices.Contains(strings.Fields(attr(n, "class")), name)
}

// find gives the first element that is meant.
func find(n *html.Node, m match) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && m(d) {
			return d
		}
	}
	return nil
}

// has says whether anything below n is meant.
func has(n *html.Node, m match) bool { return find(n, m) != nil }

// prune takes out what is meant below n.
func prune(n *html.Node, m match) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode && m(c) {
			n.RemoveChild(c)
		} else {
			prune(c, m)
		}
		c = next
	}
}
