// Package extract turns a document as served into clean Markdown with headings,
// anchors and links.
//
// Kind: words. Pure: no I/O. Imports knowledge.
package extract

import (
	"net/url"

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
func HTML(body []byte, base *url.URL) (Document, error) { return Document{}, nil }

// Markdown takes a document that is served as Markdown.
func Markdown(body []byte, base *url.URL) (Document, error) { return Document{}, nil }

// Text takes plain text: it becomes Markdown without headings.
func Text(body []byte, base *url.URL) (Document, error) { return Document{}, nil }
