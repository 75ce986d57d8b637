// Package chunk cuts a page's Markdown into passages.
//
// Kind: words. Pure: no I/O. Imports knowledge.
package chunk

import "footnote/knowledge"

// Split cuts Markdown into chunks with breadcrumb, anchor and lines. headings are the
// page's, by line; title is the breadcrumb of text above the first heading.
func Split(title, markdown string, headings []knowledge.Heading) []knowledge.Chunk { return nil }

// Digest is a hash over the ordered chunks: equal digests mean that nothing of the page
// need be written.
func Digest(chunks []knowledge.Chunk) string { return "" }
