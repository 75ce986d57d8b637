package chunk

import (
	"strings"
	"unicode/utf8"

	"footnote/knowledge"
)

// kind is what a block is.
type kind uint8

const (
	prose kind = iota // a paragraph or a list item
	heading
	fence
	table
)

// block is a run of lines that is not cut unless it is too long.
type block struct {
	kind    kind
	lines   []string
	first   int                // 1-based number of lines[0]
	size    int                // characters, line ends included
	indent  int                // bytes of quotation and indentation before its text
	blank   bool               // a blank line stands before it
	gap     string             // that line, see part
	mark    *knowledge.Heading // the heading it is, or the term it opens with
	entry   int                // characters of the entry that its term opens, when mark is a term
	closing string             // of a fence: the line that closes it, "" when the page has none
}

func (b *block) last() int { return b.first + len(b.lines) - 1 }

// scan cuts Markdown into blocks.
func scan(markdown string, headings []knowledge.Heading) []block {
	s := scanner{headings: headings, blank: true}
	for line := range strings.Lines(markdown) {
		s.number++
		s.line(strings.TrimRight(line, "\r\n"))
	}
	measureEntries(s.blocks)
	return s.blocks
}

type scanner struct {
	headings []knowledge.Heading // those not reached yet
	blocks   []block
	number   int
	blank    bool // the line before was blank
	gap      string
	open     bool // the last block may take more lines

	listed int // bytes before the text of the latest list item, 0 outside lists

	fence       string // the open fence's marks, "" outside
	fenceIndent int    // bytes before them
	quoted      bool   // it stands in a quotation
}

func (s *scanner) line(line string) {
	if s.fence != "" && !s.leavesFence(line) {
		s.extend(line)
		if s.closesFence(line) {
			s.blocks[len(s.blocks)-1].closing = line
			s.fence, s.open = "", false
		}
		s.blank = false
		return
	}
	if s.fence != "" {
		s.fence, s.open = "", false
	}
	indent, text, item := strip(line)
	if strings.TrimSpace(text) == "" && !item {
		s.blank, s.open, s.gap = true, false, strings.TrimRight(line, " \t")
		if len(s.gap) > maxGap {
			s.gap = ""
		}
		return
	}
	switch {
	case item:
		s.listed = len(line) - len(text)
	case indent == 0 && s.blank:
		s.listed = 0
	}
	mark := s.mark()
	if marks := openingFence(text); marks != "" && len(line) <= maxOpening && (mark == nil || mark.Level == knowledge.TermLevel) {
		s.begin(fence, line, indent, mark)
		s.fence, s.fenceIndent, s.quoted = marks, len(line)-len(text), strings.Contains(line[:indent], ">")
		s.blank = false
		return
	}
	switch {
	case mark != nil && mark.Level != knowledge.TermLevel:
		s.begin(heading, line, indent, mark)
		s.open = false
	case s.open && !item && mark == nil:
		s.delimit(text)
		s.extend(line)
	default:
		s.begin(prose, line, indent, mark)
	}
	s.blank = false
}

// delimit makes a table of the line above, when text is a table's delimiter row.
func (s *scanner) delimit(text string) {
	b := &s.blocks[len(s.blocks)-1]
	if b.kind != prose || !delimiterRow(text) {
		return
	}
	header := b.lines[len(b.lines)-1]
	if !strings.Contains(header, "|") {
		return
	}
	if len(b.lines) > 1 { // the text above the header stays prose
		b.lines = b.lines[:len(b.lines)-1]
		b.size -= utf8.RuneCountInString(header) + 1
		indent, _, _ := strip(header)
		s.number--
		s.begin(table, header, indent, nil)
		s.blocks[len(s.blocks)-1].blank = false
		s.number++
	}
	s.blocks[len(s.blocks)-1].kind = table
}

// mark is the heading or term at this line.
func (s *scanner) mark() *knowledge.Heading {
	for len(s.headings) > 0 && s.headings[0].Line < s.number {
		s.headings = s.headings[1:]
	}
	if len(s.headings) == 0 || s.headings[0].Line != s.number {
		return nil
	}
	return &s.headings[0]
}

func (s *scanner) begin(k kind, line string, indent int, mark *knowledge.Heading) {
	s.blocks = append(s.blocks, block{
		kind: k, lines: []string{line}, first: s.number, size: utf8.RuneCountInString(line) + 1,
		indent: indent, blank: s.blank, gap: s.gap, mark: mark,
	})
	s.open = true
}

func (s *scanner) extend(line string) {
	b := &s.blocks[len(s.blocks)-1]
	b.lines = append(b.lines, line)
	b.size += utf8.RuneCountInString(line) + 1
}

// strip gives how many bytes of quotation and indentation a line begins with, before its
// first list marker, the text behind all of them, and whether a list item opens there.
func strip(line string) (indent int, text string, item bool) {
	i := 0
	for {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '>') {
			i++
		}
		if !item {
			indent = i
		}
		n := itemMarker(line[i:])
		if n == 0 {
			return indent, line[i:], item
		}
		item = true
		i += n
	}
}

// itemMarker is the length of the list marker that s begins with: "- ", "* ", "12. ".
func itemMarker(s string) int {
	if s == "" {
		return 0
	}
	i := 1
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
	case c >= '0' && c <= '9':
		for i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == len(s) || s[i] != '.' && s[i] != ')' {
			return 0
		}
		i++
	default:
		return 0
	}
	if i < len(s) && s[i] != ' ' && s[i] != '\t' {
		return 0
	}
	return min(i+1, len(s))
}

// openingFence gives the marks of the fence that text opens.
func openingFence(text string) string {
	if len(text) < 3 || text[0] != '`' && text[0] != '~' {
		return ""
	}
	marks := text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
	if len(marks) < 3 || marks[0] == '`' && strings.Contains(text[len(marks):], "`") {
		return ""
	}
	return marks
}

// closesFence says whether line closes the open fence.
func (s *scanner) closesFence(line string) bool {
	cut := " \t"
	if s.quoted {
		cut = " \t>"
	}
	text := strings.TrimLeft(line, cut)
	if len(line)-len(text) > s.fenceIndent+3 {
		return false
	}
	text = strings.TrimRight(text, " \t")
	return len(text) >= len(s.fence) && strings.Trim(text, s.fence[:1]) == ""
}

// leavesFence says whether line stands outside the quotation or list item that the open
// fence is in, which ends it, as does a heading of the page.
func (s *scanner) leavesFence(line string) bool {
	if mark := s.mark(); mark != nil && mark.Level != knowledge.TermLevel {
		return true
	}
	if s.quoted {
		return !strings.HasPrefix(strings.TrimLeft(line, " \t"), ">")
	}
	if s.listed == 0 || strings.TrimSpace(line) == "" {
		return false
	}
	return len(line)-len(strings.TrimLeft(line, " \t")) < min(s.fenceIndent, s.listed)
}

// delimiterRow says whether text is the row of dashes under a table's header.
func delimiterRow(text string) bool {
	return strings.Contains(text, "|") && strings.Contains(text, "-") && strings.Trim(text, "|-: \t") == ""
}

// measureEntries gives each term the size of its entry: what follows until a line that
// is not indented more than the term, or a heading.
func measureEntries(blocks []block) {
	var open []int
	for i := range blocks {
		b := &blocks[i]
		for len(open) > 0 && (b.kind == heading || b.indent <= blocks[open[len(open)-1]].indent) {
			open = open[:len(open)-1]
		}
		if isTerm(b) {
			open = append(open, i)
		}
		for _, j := range open {
			blocks[j].entry += b.size
		}
	}
}

func isTerm(b *block) bool { return b.mark != nil && b.mark.Level == knowledge.TermLevel }
