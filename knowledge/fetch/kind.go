package fetch

import (
	"bytes"
	"net/http"
	"net/url"
	"path"
	"strings"

	"footnote/knowledge"
)

// Kind says how a document is to be read.
type Kind int

// The kinds of document.
const (
	HTML Kind = iota + 1 // XHTML included
	Markdown
	Text
)

// mediaType splits a Content-Type into its lower-case type and charset. It is
// forgiving where mime.ParseMediaType gives up.
func mediaType(header string) (mime, charset string) {
	mime, params, _ := strings.Cut(header, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "charset") {
			charset = strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
	return mime, charset
}

// readable says whether a body of this declared type is worth reading: documents, and
// labels that say so little that the body must be looked at.
func readable(mime string) bool {
	switch mime {
	case "", "application/octet-stream", "application/xml", "text/xml", "unknown/unknown",
		"text/html", "application/xhtml+xml", "text/markdown", "text/x-markdown", "text/plain":
		return true
	}
	return false
}

// sniff decides what a body is, from its label, its address and itself. A binary is
// refused whatever its label says.
func sniff(mime, charset, name string, body []byte) (Kind, bool) {
	guess := http.DetectContentType(body)
	wide := strings.HasPrefix(charset, "utf-16") || strings.HasPrefix(guess, "text/plain; charset=utf-16")
	if !wide && (!strings.HasPrefix(guess, "text/") && guess != "application/octet-stream" || bytes.IndexByte(body, 0) >= 0) {
		return 0, false
	}
	looksHTML := strings.HasPrefix(guess, "text/html") || bytes.Contains(head(body), []byte("http://www.w3.org/1999/xhtml"))
	markdownName := path.Ext(name) == ".md" || path.Ext(name) == ".markdown"
	switch {
	case mime == "text/html", mime == "application/xhtml+xml":
		return HTML, true
	case mime == "text/markdown", mime == "text/x-markdown":
		return Markdown, true
	case looksHTML:
		return HTML, true
	case strings.HasSuffix(mime, "xml"), strings.HasPrefix(guess, "text/xml"):
		return 0, false
	case markdownName:
		return Markdown, true
	case mime == "text/plain", strings.HasPrefix(guess, "text/plain"):
		return Text, true
	}
	return 0, false
}

// head is the part of a body that names its type.
func head(body []byte) []byte { return body[:min(len(body), 1024)] }

func unsupported(u *url.URL, mime string) *knowledge.Error {
	return knowledge.Refuse(knowledge.UnsupportedFormat, "%s is %s; only HTML, Markdown and plain text pages can be read", u, shorten(mime))
}
