package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The containers that generators put a page's text in, surest first. A rank is a
// place in this order.
const (
	rankDocusaurus = iota
	rankMaterial
	rankVitePress
	rankRustdoc
	rankStarlightMain
	rankStarlight
	rankMainArticle
	rankRoleMainBody
	rankRoleMain
	rankMain
	rankArticle
	rankAPIContent
	rankPageContent
	rankMainContent
	rankBodyColumn
	rankYUI
	rankContent
	rankDocument
	rankDocContent
	rankMarkdownBody
	rankBook
	rankChapter
	rankReference
	rankSection
	containerRanks
)

// candidate is the longest of the elements that share a rank.
type candidate struct {
	node   *html.Node
	length int // bytes of text
	count  int // how many elements share the rank
}

// consider files n under each rank it has.
func (s *survey) consider(n *html.Node, at place, length int) {
	id, class, role := "", "", ""
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "id":
			id = n.Attr[i].Val
		case "class":
			class = n.Attr[i].Val
		case "role":
			role = n.Attr[i].Val
		}
	}
	file := func(rank int) {
		c := &s.candidates[rank]
		c.count++
		if c.node == nil || length > c.length {
			c.node, c.length = n, length
		}
	}
	switch n.DataAtom {
	case atom.Main:
		file(rankMain)
	case atom.Article:
		if at.inMain {
			file(rankMainArticle)
		}
		file(rankArticle)
	}
	if role == "main" {
		file(rankRoleMain)
	}
	switch id {
	case "rustdoc_body_wrapper":
		file(rankRustdoc)
	case "apicontent":
		file(rankAPIContent)
	case "page-content":
		file(rankPageContent)
	case "main-content":
		if n.DataAtom == atom.Section {
			file(rankRustdoc)
		}
		file(rankMainContent)
	case "bodycol":
		file(rankBodyColumn)
	case "yui-main":
		file(rankYUI)
	case "content":
		file(rankContent)
	case "docContent":
		file(rankDocContent)
	}
	for token := range strings.FieldsSeq(class) {
		s.considerClass(n, token, role, file)
	}
}

func (s *survey) considerClass(n *html.Node, token, role string, file func(int)) {
	div := n.DataAtom == atom.Div
	switch token {
	case "theme-doc-markdown":
		file(rankDocusaurus)
	case "md-content__inner":
		file(rankMaterial)
	case "vp-doc":
		file(rankVitePress)
	case "sl-main":
		file(rankStarlightMain)
	case "sl-markdown-content":
		file(rankStarlight)
	case "body":
		if div && role == "main" {
			file(rankRoleMainBody)
		}
	case "document":
		file(rankDocument)
	case "markdown-body":
		file(rankMarkdownBody)
	case "book":
		if div {
			file(rankBook)
		}
	case "chapter":
		if div {
			file(rankChapter)
		}
	case "refentry":
		if div {
			file(rankReference)
		}
	case "sect1":
		if div {
			file(rankSection)
		}
	}
}

// container is the element that holds the page's text: the surest candidate that is
// alone and holds a quarter of it, or that holds most of it. A lone element that says it
// is the main one is believed however little it holds.
func (s *survey) container(root *html.Node) *html.Node {
	if s.body == nil {
		return root
	}
	for rank, c := range s.candidates {
		if c.length == 0 {
			continue
		}
		alone := c.count == 1 && rank != rankMainArticle // which may be a card among other text
		if c.length*10 >= s.bodyLength*6 || alone && (rank <= rankMain || c.length*4 >= s.bodyLength) {
			return withHeader(c.node)
		}
	}
	return s.body
}

// withHeader widens AsciiDoc's #content to hold the #header beside it, where the page's
// name stands.
func withHeader(n *html.Node) *html.Node {
	if attr(n, "id") != "content" || n.Parent == nil {
		return n
	}
	for before := n.PrevSibling; before != nil; before = before.PrevSibling {
		if before.Type == html.ElementNode && attr(before, "id") == "header" && attr(before, "role") == "" && first(before, atom.H1) != nil {
			return n.Parent
		}
	}
	return n
}

// first finds the first element with that tag below n.
func first(n *html.Node, tag atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == tag {
			return d
		}
	}
	return nil
}

// chooseTitle takes the page's own h1, or its <title> less the site's name.
func (s *survey) chooseTitle(w *writer) string {
	top := ""
	for _, h := range w.headings {
		if h.Level == 1 {
			return h.Text
		}
		if top == "" && h.Level <= 6 {
			top = h.Text
		}
	}
	switch {
	case s.title == "":
		if s.h1 != "" {
			return s.h1
		}
		return top
	case s.h1 != "" && strings.Contains(s.title, s.h1):
		return s.h1
	case top != "" && strings.HasPrefix(s.title, top):
		return top
	}
	for _, separator := range [...]string{" | ", " — ", " – ", " · ", " :: ", " » ", " - "} {
		if i := strings.LastIndex(s.title, separator); i > 0 {
			return strings.TrimSpace(s.title[:i])
		}
	}
	return s.title
}
