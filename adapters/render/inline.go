package render

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// painter lays out one document.
type painter struct {
	style Style
	src   []byte
}

// inline gives the spans of n's children.
func (p painter) inline(n ast.Node, l look) []span {
	var out []span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, p.span(c, l)...)
	}
	return out
}

func (p painter) span(n ast.Node, l look) []span {
	switch n := n.(type) {
	case *ast.Text:
		out := []span{{text: Clean(decode(string(n.Value(p.src)))), look: l}}
		switch {
		case n.HardLineBreak():
			out = append(out, span{text: "\n"})
		case n.SoftLineBreak():
			out = append(out, span{text: " ", look: l})
		}
		return out
	case *ast.String:
		return []span{{text: Clean(string(n.Value)), look: l}}
	case *ast.CodeSpan:
		return []span{{text: strings.ReplaceAll(p.raw(n), "\n", " "), look: l | code}}
	case *ast.Emphasis:
		if n.Level >= 2 {
			return p.inline(n, l|bold)
		}
		return p.inline(n, l|italic)
	case *extast.Strikethrough:
		return p.inline(n, l|strike)
	case *ast.Link:
		return p.link(p.inline(n, l|underline), string(n.Destination), l)
	case *ast.AutoLink:
		target := string(n.URL(p.src))
		return p.link([]span{{text: showURL(string(n.Label(p.src))), look: l | underline}}, target, l)
	case *ast.Image:
		alt := p.inline(n, l)
		if len(alt) == 0 {
			alt = []span{{text: "image", look: l}}
		}
		return p.link(alt, string(n.Destination), l)
	case *ast.RawHTML:
		raw := Clean(string(n.Segments.Value(p.src)))
		if tag := strings.ToLower(strings.Trim(raw, "</> ")); tag == "br" {
			return []span{{text: "\n"}}
		}
		return []span{{text: strings.ReplaceAll(raw, "\n", " "), look: l}}
	}
	return p.inline(n, l)
}

// raw is the text below n as it stands in the source.
func (p painter) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(p.src))
		}
	}
	return Clean(b.String())
}

// link makes label a link. Where hyperlinks are not shown the address follows it,
// unless the label is the address.
func (p painter) link(label []span, target string, l look) []span {
	target = decode(target)
	var said strings.Builder
	for i := range label {
		if label[i].text != "\n" {
			label[i].url = target
		}
		said.WriteString(label[i].text)
	}
	shown := said.String()
	address := showURL(target)
	if p.style.Links && linkTarget(target) != "" || address == "" || shown == address || "mailto:"+shown == address {
		return label
	}
	if shown == "" {
		return []span{{text: address, look: l | underline, url: target}}
	}
	return append(label, span{text: " (" + address + ")", look: l&^underline | dim})
}

// decode undoes backslash escapes and character references. goldmark leaves both to
// its HTML writer.
func decode(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+40)], ';')
			if end < 0 {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(s[i : i+end+1]))
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
