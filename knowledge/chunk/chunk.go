// Package chunk cuts a page's Markdown into passages.
//
// Kind: words. Pure: no I/O. Imports knowledge.
//
// It reads lines, not a syntax tree: a passage is a range of lines, the headings come
// with the page, and fences, tables and list items are told by how their lines begin.
// One pass, linear in the Markdown.
package chunk

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	"footnote/knowledge"
)

// Sizes of a passage, in characters (runes).
const (
	// Aim is what prose is gathered up to.
	Aim = 1000
	// MaxProse is more than any passage of prose has.
	MaxProse = 1500
	// MaxBlock is the most a passage that is a fence or a table has.
	MaxBlock = 8000

	// smallEntries is how much several entries of a definition list may have together
	// and share a passage; a longer entry has one of its own, which opens at its term.
	smallEntries = 400
	// splitLevel is the deepest heading that begins a passage.
	splitLevel = 4
	// maxCrumb is the longest part of a breadcrumb that a term gives.
	maxCrumb = 120
	// maxName is the longest part of a breadcrumb that a heading or the title gives: it is
	// kept with every chunk below.
	maxName = 300
	// maxAnchor is the longest anchor that is kept, in bytes, for the same reason.
	maxAnchor = 500
	// maxOpening is the longest line that opens a fence, in bytes: it may be repeated.
	maxOpening = 300
	// maxLead is the longest line that goes with what it introduces, in bytes.
	maxLead = 300
	// maxGap is the longest blank line inside quotations that is kept as it is, in bytes.
	maxGap = 40
)

// Split cuts Markdown into chunks with breadcrumb, anchor and lines. headings are the
// page's, by line, with the marks of its terms; title is the breadcrumb of text above
// the first heading. A chunk's text is its lines less the indentation they share, or a
// part of a line that is too long, or a part of a fence or table with its fence or header
// repeated.
func Split(title, markdown string, headings []knowledge.Heading) []knowledge.Chunk {
	p := packer{title: shorten(oneLine(title), maxName)}
	headings = slices.Clone(headings)
	for i := range headings {
		h := &headings[i]
		if h.Text = oneLine(h.Text); h.Level != knowledge.TermLevel {
			h.Text = shorten(h.Text, maxName)
		}
		if len(h.Anchor) > maxAnchor {
			h.Anchor = ""
		}
	}
	for _, b := range scan(markdown, headings) {
		p.add(b)
	}
	p.close()
	return p.chunks
}

// Digest is a hash over the ordered chunks: equal digests mean that nothing of the page
// need be written.
func Digest(chunks []knowledge.Chunk) string {
	h := sha256.New()
	for _, c := range chunks {
		writeNumbers(h, c.FirstLine, c.LastLine, len(c.Path))
		for _, crumb := range c.Path {
			writeText(h, crumb)
		}
		writeText(h, c.Anchor)
		writeText(h, c.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeText writes s behind its length, so that no two lists of texts hash alike.
func writeText(h hash.Hash, s string) {
	writeNumbers(h, len(s))
	h.Write([]byte(s))
}

func writeNumbers(h hash.Hash, numbers ...int) {
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
}
