package extract

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// holds says what stands somewhere inside an element.
type holds uint8

const (
	holdsHeading holds = 1 << iota
	holdsPre
	holdsTable
	holdsBlock
)

// place is what the ancestors of a node say about it.
type place struct {
	inMain, inNav bool
}

// survey is what one walk over the whole page has learned.
type survey struct {
	served *url.URL // where the page came from
	base   *url.URL // what its relative addresses are resolved against

	title     string // <title>
	h1        string // the first h1 outside navigation
	lang      string
	canonical string
	refresh   string
	noIndex   bool
	noFollow  bool

	links    []string
	seen     map[string]bool
	resolved map[string]string // href as written -> absolute, "" when it is no web address

	body       *html.Node
	bodyLength int
	candidates [containerRanks]candidate
	inside     map[*html.Node]holds

	opened    map[string]bool   // ids that a control opens
	clicks    strings.Builder   // onclick scripts, which may name such ids
	tabLabels map[string]string // id of a panel, or "#" and the id of its tab -> label
}

func newSurvey(served *url.URL) *survey {
	return &survey{
		served: served, base: served,
		seen: map[string]bool{}, resolved: map[string]string{},
		inside: map[*html.Node]holds{}, opened: map[string]bool{}, tabLabels: map[string]string{},
	}
}

// walk gives the length of the text below n, in bytes, and what n holds.
func (s *survey) walk(n *html.Node, at place) (length int, what holds) {
	switch n.Type {
	case html.TextNode:
		return len(strings.TrimSpace(n.Data)), 0
	case html.ElementNode:
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Template, atom.Noscript:
			return 0, 0
		case atom.Nav:
			at.inNav = true
		}
		s.note(n, &at)
	}
	inner := at
	inner.inMain = at.inMain || n.DataAtom == atom.Main || attr(n, "role") == "main"
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		l, h := s.walk(c, inner)
		length += l
		what |= h
	}
	if n.Type != html.ElementNode {
		return length, what
	}
	if n.DataAtom == atom.Body {
		s.body, s.bodyLength = n, length
	}
	s.consider(n, at, length)
	if what&holdsHeading != 0 && (n.DataAtom == atom.Blockquote || judgeClasses(n, attr(n, "class")) == admonition) {
		what &^= holdsHeading // it will be a label
	}
	switch n.DataAtom {
	case atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.A, atom.Form, atom.Summary, atom.Dt, atom.Code:
		if what != 0 {
			s.inside[n] = what
		}
	}
	if n.DataAtom == atom.Nav {
		length = 0
	}
	return length, what | own(n)
}

// own says what n itself is to those around it.
func own(n *html.Node) holds {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return holdsHeading | holdsBlock
	case atom.Pre:
		return holdsPre | holdsBlock
	case atom.Table:
		return holdsTable | holdsBlock
	case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Dl, atom.Blockquote, atom.Section, atom.Article:
		return holdsBlock
	}
	return 0
}

// note takes from one element what concerns the whole page.
func (s *survey) note(n *html.Node, at *place) {
	switch n.DataAtom {
	case atom.Html:
		s.lang = primaryTag(attr(n, "lang"))
		if s.lang == "" {
			s.lang = primaryTag(attr(n, "xml:lang"))
		}
	case atom.Title:
		if s.title == "" && n.Namespace == "" {
			s.title = oneLine(n)
		}
	case atom.Base:
		s.setBase(attr(n, "href"))
	case atom.Meta:
		s.meta(n)
	case atom.Link:
		if s.canonical == "" && hasToken(attr(n, "rel"), "canonical") {
			s.canonical = withoutFragment(s.resolve(attr(n, "href")))
		}
	case atom.A, atom.Area:
		s.link(n)
	case atom.H1:
		if s.h1 == "" && !at.inNav {
			s.h1 = oneLine(n)
		}
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "aria-controls", "data-target", "data-bs-target":
			s.opened[strings.TrimPrefix(a.Val, "#")] = true
		case "onclick":
			s.clicks.WriteString(a.Val)
		case "role":
			switch a.Val {
			case "tab":
				s.tab(n)
			case "navigation", "banner":
				at.inNav = true
			}
		}
	}
}

func (s *survey) tab(n *html.Node) {
	label := oneLine(n)
	if panel := attr(n, "aria-controls"); panel != "" {
		s.tabLabels[panel] = label
	}
	if id := attr(n, "id"); id != "" {
		s.tabLabels["#"+id] = label
	}
}

// opens says whether a control on the page opens the element with that id.
func (s *survey) opens(id string) bool {
	if id == "" {
		return false
	}
	if s.opened[id] {
		return true
	}
	clicks := s.clicks.String()
	return clicks != "" && (strings.Contains(clicks, "'"+id+"'") || strings.Contains(clicks, `"`+id+`"`))
}

func (s *survey) setBase(href string) {
	if s.base != s.served || href == "" {
		return // the first one counts
	}
	if u, err := s.served.Parse(strings.TrimSpace(href)); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		s.base = u
	}
}

// refreshSeconds is the longest delay after which a meta refresh is a redirect.
const refreshSeconds = 5

func (s *survey) meta(n *html.Node) {
	content := attr(n, "content")
	switch strings.ToLower(attr(n, "name")) {
	case "robots", "footnotebot":
		for _, word := range strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return r == ',' || r == ' ' }) {
			s.noIndex = s.noIndex || word == "noindex" || word == "none"
			s.noFollow = s.noFollow || word == "nofollow" || word == "none"
		}
	}
	switch strings.ToLower(attr(n, "http-equiv")) {
	case "content-language":
		if s.lang == "" {
			s.lang = primaryTag(content)
		}
	case "refresh":
		delay, target, ok := strings.Cut(content, ";")
		if !ok {
			delay, target, ok = strings.Cut(content, ",")
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(delay), 64)
		target = strings.TrimSpace(target)
		if !ok || err != nil || seconds > refreshSeconds || len(target) < 4 || !strings.EqualFold(target[:3], "url") {
			return
		}
		target = strings.TrimSpace(target[3:])
		if after, found := strings.CutPrefix(target, "="); found && s.refresh == "" {
			s.refresh = s.resolve(strings.Trim(after, " '\""))
		}
	}
}

func (s *survey) link(n *html.Node) {
	rel, href := "", ""
	for _, a := range n.Attr {
		switch a.Key {
		case "href":
			href = a.Val
		case "rel":
			rel = a.Val
		}
	}
	if href != "" && (rel == "" || !hasToken(rel, "nofollow")) {
		s.follow(href)
	}
}

// follow keeps an address that the page leads to.
func (s *survey) follow(href string) {
	link := withoutFragment(s.resolve(href))
	if link != "" && !s.seen[link] {
		s.seen[link] = true
		s.links = append(s.links, link)
	}
}

// resolve makes href absolute; "" when it does not lead to a web page.
func (s *survey) resolve(href string) string {
	if absolute, ok := s.resolved[href]; ok {
		return absolute
	}
	absolute := ""
	if href != "" {
		u, err := s.base.Parse(strings.TrimSpace(href))
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			absolute = u.String()
		}
	}
	s.resolved[href] = absolute
	return absolute
}

// withoutFragment keeps a fragment only where it is the route of a page that a script
// builds.
func withoutFragment(address string) string {
	before, fragment, found := strings.Cut(address, "#")
	if found && (strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!")) {
		return address
	}
	return before
}

// primaryTag gives the language of a BCP 47 tag: "pt-BR" is "pt".
func primaryTag(tag string) string {
	tag, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"), ",")
	tag, _, _ = strings.Cut(tag, "-")
	tag = strings.ToLower(tag)
	if len(tag) < 2 || len(tag) > 3 || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return tag
}

// attr gives the value of n's attribute, "" when it has none.
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

// hasToken says whether list, as in class or rel, has the word.
func hasToken(list, word string) bool {
	for token := range strings.FieldsSeq(list) {
		if strings.EqualFold(token, word) {
			return true
		}
	}
	return false
}
