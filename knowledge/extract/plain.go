package extract

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"footnote/knowledge"
)

// Markdown takes a document that is served as Markdown. Its headings have no anchors:
// what a site would make of them is not known from the text.
func Markdown(body []byte, base *url.URL) (Document, error) {
	if err := refuseBinary(body); err != nil {
		return Document{}, err
	}
	source, meta := frontMatter(clean(body))
	if nestsTooDeeply(source) {
		return Document{}, knowledge.Refuse(knowledge.UnsupportedFormat,
			"the document's quotations or lists nest too deeply to be read; ask its owner to simplify it, or add another page")
	}
	if costly(source) {
		return Document{}, knowledge.Refuse(knowledge.RequestTooLarge,
			"the document has a paragraph with too much markup to be read; ask its owner to simplify it, or add another page")
	}
	r := mdReader{source: source, links: newSurvey(base)}
	root := goldmark.DefaultParser().Parse(text.NewReader(source))
	// Walk fails only where its visitor does, and this one does not.
	_ = ast.Walk(root, r.visit)
	title := meta["title"]
	for _, h := range r.headings {
		if h.Level == 1 && title == "" {
			title = h.Text
		}
	}
	if title == "" && len(r.headings) > 0 {
		title = r.headings[0].Text
	}
	return Document{
		Title: named(title, base), Lang: primaryTag(meta["lang"]), Markdown: string(source),
		Headings: r.headings, Links: r.links.links,
	}, nil
}

// Text takes plain text: it becomes Markdown without headings.
func Text(body []byte, base *url.URL) (Document, error) {
	if err := refuseBinary(body); err != nil {
		return Document{}, err
	}
	return Document{Title: named("", base), Markdown: string(clean(body))}, nil
}

// maxMarkers is how many signs of quotations and lists a line of Markdown may begin with:
// the parser's time grows with their square.
const maxMarkers = 400

// nestsTooDeeply says whether a line begins with more signs of nesting than a page has.
func nestsTooDeeply(source []byte) bool {
	for line := range bytes.Lines(source) {
		text := bytes.TrimLeft(line, "> \t-*+.)0123456789")
		before := line[:len(line)-len(text)]
		if len(before) > maxMarkers && len(bytes.TrimSpace(text)) > 0 && bytes.ContainsAny(before, ">-*+.)") {
			return true
		}
		if len(before) > maxMarkers && (bytes.IndexByte(before, '>') >= 0 || len(bytes.TrimSpace(text)) > 0) &&
			len(bytes.Trim(before, " \t0123456789")) > maxMarkers {
			return true
		}
	}
	return false
}

// maxInlineWork bounds the time that a document's inline markup takes the parser: in a
// paragraph it may grow with its length times the signs in it, which is some seconds here.
const maxInlineWork = 4_000_000_000

// costly says whether the parser could be busy for minutes with the paragraphs of a
// document, which nothing can stop. It reads the blocks alone, whose cost is bounded.
func costly(source []byte) bool {
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	work := 0
	// Walk fails only where its visitor does, and this one does not.
	_ = ast.Walk(blocks.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			if !entering {
				return ast.WalkContinue, nil
			}
			block, signs := n.Lines().Value(source), 0
			for _, c := range block {
				if c == '[' || c == '*' || c == '_' || c == '`' {
					signs++
				}
			}
			if work += signs * len(block); work > maxInlineWork {
				return ast.WalkStop, nil
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return work > maxInlineWork
}

// clean makes line ends alike, drops the byte order mark and replaces what is not UTF-8.
func clean(body []byte) []byte {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	body = bytes.ToValidUTF8(body, []byte("\ufffd"))
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte{'\n'})
	return bytes.ReplaceAll(body, []byte{'\r'}, []byte{'\n'})
}

// maxTitle is the longest title, in characters: it is stored with every passage.
const maxTitle = 300

// named bounds a title, and gives a document without one the name of its file.
func named(title string, base *url.URL) string {
	if r := []rune(title); len(r) > maxTitle {
		return string(r[:maxTitle-1]) + "…"
	}
	if title != "" || base == nil {
		return title
	}
	if name := path.Base(base.Path); name != "/" && name != "." {
		return name
	}
	return base.Host
}

// frontMatter takes the settings block that site generators put before a document off
// it, and reads its plain keys.
func frontMatter(source []byte) (rest []byte, meta map[string]string) {
	const fence = "---\n"
	if !bytes.HasPrefix(source, []byte(fence)) {
		return source, nil
	}
	block, rest, ok := bytes.Cut(source[len(fence):], []byte("\n"+fence))
	if !ok {
		return source, nil
	}
	meta = map[string]string{}
	for line := range strings.Lines(string(block)) {
		key, value, found := strings.Cut(line, ":")
		if !found && strings.TrimSpace(line) != "" && line[0] != ' ' && line[0] != '-' && line[0] != '#' {
			return source, nil // a rule and prose, not settings
		}
		meta[strings.ToLower(strings.TrimSpace(key))] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	return rest, meta
}

// mdReader collects headings and links from a Markdown tree.
type mdReader struct {
	source   []byte
	links    *survey
	headings []knowledge.Heading

	line, offset int // lines counted up to offset
}

func (r *mdReader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		if _, top := n.Parent().(*ast.Document); top && n.Lines().Len() > 0 {
			if name := r.plain(n); name != "" {
				r.headings = append(r.headings, knowledge.Heading{Level: n.Level, Text: name, Line: r.lineOf(n.Lines().At(0).Start)})
			}
		}
	case *ast.Link:
		r.links.follow(string(n.Destination))
	case *ast.AutoLink:
		if n.AutoLinkType == ast.AutoLinkURL {
			r.links.follow(string(n.URL(r.source)))
		}
	}
	return ast.WalkContinue, nil
}

// lineOf gives the 1-based line of a place in the source; places come in order.
func (r *mdReader) lineOf(offset int) int {
	r.line += bytes.Count(r.source[r.offset:offset], []byte{'\n'})
	r.offset = offset
	return r.line + 1
}

// plain is the text below n on one line, without markup.
func (r *mdReader) plain(n ast.Node) string {
	var b strings.Builder
	// Walk fails only where its visitor does, and this one does not.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(r.source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
