package chunk

import (
	"strings"
	"unicode/utf8"

	"footnote/knowledge"
)

// packer gathers blocks into chunks.
type packer struct {
	title  string
	chunks []knowledge.Chunk

	path   []*knowledge.Heading // open sections, outermost first
	anchor string               // of the nearest heading that has one
	terms  []openTerm           // open entries of definition lists, outermost first

	// The chunk being gathered.
	parts    []part
	size     int
	bare     bool // it holds headings only
	within   int  // how many open entries its breadcrumb names
	crumbs   []string
	atAnchor string
}

// part is a run of text in a chunk.
type part struct {
	text        string
	first, last int
	blank       bool   // a blank line stands before it
	gap         string // that line, which is not empty inside a quotation
}

type openTerm struct {
	mark   *knowledge.Heading
	indent int
}

// add takes the next block.
func (p *packer) add(b block) {
	if b.kind == heading {
		p.heading(&b)
		return
	}
	if isTerm(&b) && !p.bare && p.size+b.entry > smallEntries {
		p.close()
	}
	for len(p.terms) > 0 && b.indent <= p.terms[len(p.terms)-1].indent {
		p.terms = p.terms[:len(p.terms)-1]
		if p.size > smallEntries {
			p.close() // what follows a list does not belong to its last entry
		}
		p.widen()
	}
	if isTerm(&b) {
		p.terms = append(p.terms, openTerm{mark: b.mark, indent: b.indent})
	}
	if b.kind == prose {
		p.prose(&b)
	} else {
		p.atomic(&b)
	}
}

// heading begins a section. Headings that nothing but headings follow stay with the
// first text below them, as long as each is deeper than the one before.
func (p *packer) heading(b *block) {
	p.terms = nil
	h := b.mark
	if h.Level > splitLevel {
		if p.size+b.size > Aim {
			p.close()
		}
		if h.Anchor != "" && (len(p.parts) == 0 || p.bare) {
			p.anchor = h.Anchor
		}
		p.prose(b)
		p.anchorFrom(h)
		return
	}
	deeper := p.bare && len(p.path) > 0 && h.Level > p.path[len(p.path)-1].Level && p.size+b.size < Aim
	if !deeper {
		p.close()
	}
	for len(p.path) > 0 && p.path[len(p.path)-1].Level >= h.Level {
		p.path = p.path[:len(p.path)-1]
	}
	p.path = append(p.path, h)
	p.anchorFrom(h)
	if b.size >= MaxProse {
		p.prose(b)
		return
	}
	bare := len(p.parts) == 0 || p.bare
	p.take(b)
	p.bare = bare
	p.crumbs, p.atAnchor = p.breadcrumb(), p.anchor
}

func (p *packer) anchorFrom(h *knowledge.Heading) {
	if h.Anchor != "" {
		p.anchor = h.Anchor
	}
}

// breadcrumb is the path to the next block.
func (p *packer) breadcrumb() []string {
	var crumbs []string
	if p.title != "" && (len(p.path) == 0 || p.path[0].Level > 1 && p.path[0].Text != p.title) {
		crumbs = append(crumbs, p.title)
	}
	for _, h := range p.path {
		crumbs = append(crumbs, h.Text)
	}
	for _, t := range p.terms {
		crumbs = append(crumbs, shorten(t.mark.Text, maxCrumb))
	}
	return crumbs
}

// widen takes those entries off the breadcrumb of the gathered chunk that it has left
// behind: it then speaks for several.
func (p *packer) widen() {
	if left := p.within - len(p.terms); left > 0 {
		p.crumbs = p.crumbs[:len(p.crumbs)-left]
		p.within = len(p.terms)
	}
}

// prose adds a paragraph or list item.
func (p *packer) prose(b *block) {
	if p.size+b.size > Aim && !p.bare {
		p.closeBefore(b, Aim)
	}
	if p.size+b.size+len(b.gap) < MaxProse {
		p.take(b)
		return
	}
	for _, piece := range cutProse(b) {
		size := utf8.RuneCountInString(piece.text) + 1
		if !p.bare || p.size+size >= MaxProse {
			p.close()
		}
		p.part(piece, size)
	}
}

// atomic adds a fence or table: beside its introduction when both are small, with its
// heading when not.
func (p *packer) atomic(b *block) {
	limit := Aim
	if p.bare {
		limit = MaxBlock
	}
	if len(p.parts) > 0 && p.size+b.size > limit {
		p.closeBefore(b, MaxBlock)
	}
	whole := b.kind != fence || b.closing != ""
	if whole && p.size+b.size <= MaxBlock {
		p.take(b)
		return
	}
	for _, piece := range cutBlock(b, MaxBlock-p.size) {
		p.part(piece, utf8.RuneCountInString(piece.text)+1)
		p.close()
	}
}

// closeBefore closes the chunk because b does not fit; a short line that introduces b
// goes with it when both fit.
func (p *packer) closeBefore(b *block, limit int) {
	last := len(p.parts) - 1
	if last < 1 || !introduces(p.parts[last].text) {
		p.close()
		return
	}
	lead := p.parts[last]
	size := utf8.RuneCountInString(lead.text) + 1
	if size+maxGap+b.size > limit {
		p.close()
		return
	}
	p.parts = p.parts[:last]
	p.close()
	p.part(lead, size)
}

// introduces says whether text is a line that belongs to what follows: a term, or a
// sentence that ends in a colon.
func introduces(text string) bool {
	return len(text) < maxLead && (strings.HasSuffix(text, ":") || strings.HasSuffix(text, "**"))
}

// take adds a block whole.
func (p *packer) take(b *block) {
	p.part(part{text: strings.Join(b.lines, "\n"), first: b.first, last: b.last(), blank: b.blank, gap: b.gap}, b.size)
}

func (p *packer) part(t part, size int) {
	if len(p.parts) == 0 || p.bare {
		p.crumbs, p.atAnchor = p.breadcrumb(), p.anchor
		if p.within = len(p.terms); p.within > 0 {
			p.atAnchor = p.terms[p.within-1].mark.Anchor
		}
	}
	p.bare = false
	if len(p.parts) > 0 && t.blank {
		size += len(t.gap) + 1
	}
	p.parts = append(p.parts, t)
	p.size += size
}

// close finishes the chunk being gathered.
func (p *packer) close() {
	if len(p.parts) == 0 {
		return
	}
	var text strings.Builder
	for i, t := range p.parts {
		if i > 0 {
			text.WriteByte('\n')
			if t.blank {
				text.WriteString(t.gap)
				text.WriteByte('\n')
			}
		}
		text.WriteString(t.text)
	}
	p.chunks = append(p.chunks, knowledge.Chunk{
		Ordinal: len(p.chunks), Path: p.crumbs, Anchor: p.atAnchor,
		FirstLine: p.parts[0].first, LastLine: p.parts[len(p.parts)-1].last,
		Text: dedent(text.String()),
	})
	p.parts, p.size, p.bare, p.within = nil, 0, false, 0
}

// dedent takes away the indentation that all lines share, so that a passage from inside
// a list does not read as code.
func dedent(text string) string {
	if text == "" || text[0] != ' ' {
		return text
	}
	shared := len(text)
	for line := range strings.Lines(text) {
		if bare := strings.TrimLeft(line, " "); strings.TrimSpace(bare) != "" {
			shared = min(shared, len(line)-len(bare))
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(line[min(shared, len(line)-len(strings.TrimLeft(line, " "))):])
	}
	return b.String()
}

// oneLine collapses white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten keeps a crumb to so many characters.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
