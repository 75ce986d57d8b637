// Package extract turns a document as served into clean Markdown with headings,
// anchors and links.
//
// Kind: words. Pure: no I/O. Imports knowledge.
//
// A page is parsed by golang.org/x/net/html and then walked twice: survey looks at
// the whole of it once (links, what the head declares, where the text is), and writer
// walks the container that survey chose and writes Markdown as it goes. Nothing in the
// tree is changed.
//
// Cleaner and writer are our own instead of github.com/JohannesKaufmann/html-to-markdown
// behind a cleaner of selectors, since measured on one core over PostgreSQL's 1,169 pages
// they are about four times as fast (1,690 pages a second against 360; that library alone
// makes 630), keep every code block of nine documentation trees verbatim (22,187 of
// 22,187; behind that library it was 21,377 of 21,499 on a set that held these) and know
// the line and anchor of each heading and term as they write it. test/extraction measures
// ours again.
package extract

import (
	"bytes"
	"net/url"
	"unicode/utf8"

	"golang.org/x/net/html"

	"footnote/knowledge"
)

// Document is what a page holds once its furniture is gone.
type Document struct {
	Title    string
	Lang     string // primary BCP 47 tag the page declares, "" when it declares none
	Markdown string
	Headings []knowledge.Heading

	// Links are absolute http(s) addresses in document order, without duplicates, from
	// the whole page (navigation too), less those marked nofollow.
	Links     []string
	Canonical string // absolute, "" when none
	Refresh   string // target of a meta refresh within a few seconds, absolute
	NoIndex   bool   // the page asks not to be stored
	NoFollow  bool   // the page asks that its links are not followed
	LinkOnly  bool   // an index: nearly all of its text is links; follow, do not store
}

// HTML extracts a page. body is UTF-8; base is the address it was served from.
func HTML(body []byte, base *url.URL) (Document, error) {
	if err := refuseBinary(body); err != nil {
		return Document{}, err
	}
	// The parser refuses more than 512 open elements, which bounds every recursion here.
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		refusal := knowledge.Refuse(knowledge.UnsupportedFormat,
			"the page's HTML nests too deeply to be read; ask its owner to simplify it, or add another page")
		refusal.Cause = err
		return Document{}, refusal
	}
	s := newSurvey(base)
	s.walk(root, place{})
	w := writer{page: s}
	w.document(s.container(root))

	doc := Document{
		Title:     named(s.chooseTitle(&w), nil),
		Lang:      s.lang,
		Markdown:  string(w.out),
		Headings:  w.headings,
		Links:     s.links,
		Canonical: s.canonical,
		Refresh:   s.refresh,
		NoIndex:   s.noIndex,
		NoFollow:  s.noFollow,
		LinkOnly:  w.linkOnly(),
	}
	return doc, nil
}

// sniffed is how much of a body decides whether it is text, in bytes.
const sniffed = 8 << 10

// refuseBinary refuses what is not text whatever its label says.
func refuseBinary(body []byte) error {
	head := body[:min(len(body), sniffed)]
	strange, total := 0, 0
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if r == 0 {
			strange = len(head)
			break
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v' && r != 0x1b ||
			r == utf8.RuneError && size == 1 && len(head)-i >= utf8.UTFMax {
			strange++
		}
		total++
		i += size
	}
	if bytes.HasPrefix(head, []byte("%PDF-")) || strange*20 > total {
		return knowledge.Refuse(knowledge.UnsupportedFormat,
			"the address serves a binary file, not a page of text; give the address of the page itself")
	}
	return nil
}
