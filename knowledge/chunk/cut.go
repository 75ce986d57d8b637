package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutProse cuts a paragraph that is too long: between lines, else after a sentence, else
// at a space, else anywhere.
func cutProse(b *block) []part {
	var out []part
	var open part
	size := 0
	emit := func() {
		if size > 0 {
			out = append(out, open)
		}
		open, size = part{}, 0
	}
	for i, line := range b.lines {
		number := b.first + i
		length := utf8.RuneCountInString(line) + 1
		if size+length > Aim {
			emit()
		}
		if length <= Aim {
			if size == 0 {
				open = part{text: line, first: number, last: number}
			} else {
				open.text += "\n" + line
				open.last = number
			}
			size += length
			continue
		}
		for _, piece := range cutLine(line, Aim) {
			out = append(out, part{text: piece, first: number, last: number})
		}
	}
	emit()
	return out
}

// cutLine cuts one line into pieces of at most limit characters.
func cutLine(line string, limit int) []string {
	var pieces []string
	for {
		at := cutAt(line, limit)
		if at == len(line) {
			break
		}
		if piece := strings.TrimSpace(line[:at]); piece != "" {
			pieces = append(pieces, strings.TrimRight(line[:at], " "))
		}
		line = strings.TrimLeft(line[at:], " ")
	}
	if strings.TrimSpace(line) != "" {
		pieces = append(pieces, strings.TrimRight(line, " "))
	}
	return pieces
}

// cutAt finds where to cut a line so that at most limit characters stand before, in bytes.
func cutAt(line string, limit int) int {
	sentence, space, count := 0, 0, 0
	var before rune
	for i, r := range line {
		if count == limit {
			switch {
			case sentence > 0:
				return sentence
			case space > 0:
				return space
			}
			return i
		}
		count++
		if unicode.IsSpace(r) && strings.TrimSpace(line[:i]) != "" {
			space = i
			if strings.ContainsRune(".!?؟:;", before) && count > limit/4 {
				sentence = i
			}
		}
		if strings.ContainsRune("。！？", before) && count > limit/4 {
			sentence = i
		}
		before = r
	}
	return len(line)
}

// cutBlock cuts a fence at blank lines and a table at rows into parts of at most limit
// characters, each with the fence or header again.
func cutBlock(b *block, limit int) []part {
	var head []string
	foot := ""
	body, number := b.lines, b.first
	switch b.kind {
	case fence:
		opening := b.lines[0]
		_, text, _ := strip(opening)
		indent := opening[:len(opening)-len(text)]
		body, number = body[1:], number+1
		if b.closing != "" {
			body = body[:len(body)-1]
		}
		bare := blanked(indent)
		marks := openingFence(opening[len(indent):])
		foot = bare + marks
		head = []string{opening}
	case table:
		if len(b.lines) >= 2 && utf8.RuneCountInString(b.lines[0])+utf8.RuneCountInString(b.lines[1]) < limit/2 {
			head = b.lines[:2]
			body, number = body[2:], number+2
		}
	}
	c := cutter{head: head, foot: foot, from: b.first}
	c.room = limit - utf8.RuneCountInString(strings.Join(head, "\n")) - utf8.RuneCountInString(foot) - 3
	for i, line := range body {
		c.add(line, number+i, b.kind == fence)
	}
	c.emit(len(c.open))
	if len(c.out) == 0 {
		c.out = append(c.out, part{text: c.join(nil), first: b.first, last: b.last()})
	}
	c.out[len(c.out)-1].last = b.last()
	c.out[0].blank = b.blank
	return c.out
}

// blanked turns list markers into the spaces that go on behind them.
func blanked(prefix string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, prefix)
}

func blankLine(line string) bool { return strings.Trim(line, "> \t") == "" }

// cutter gathers the lines of an oversized block.
type cutter struct {
	head []string
	foot string
	room int // characters for lines
	from int // first line of the part being gathered

	open  []string
	first int // number of open[0]
	size  int
	gap   int // how many of open stand before the latest blank line
	out   []part
}

func (c *cutter) add(line string, number int, atBlank bool) {
	length := utf8.RuneCountInString(line) + 1
	for c.size+length > c.room && len(c.open) > 0 {
		n := len(c.open)
		if atBlank && c.gap > 0 {
			n = c.gap
		}
		c.emit(n)
	}
	if length > c.room {
		for _, piece := range cutLine(line, c.room-1) {
			c.open, c.first, c.size = []string{piece}, number, 0
			c.emit(1)
		}
		return
	}
	if len(c.open) == 0 {
		c.first = number
	}
	if blankLine(line) {
		c.gap = len(c.open)
	}
	c.open = append(c.open, line)
	c.size += length
}

// emit makes a part of the first n open lines.
func (c *cutter) emit(n int) {
	if n == 0 {
		return
	}
	c.out = append(c.out, part{text: c.join(c.open[:n]), first: min(c.from, c.first), last: c.first + n - 1})
	c.open = c.open[n:]
	c.first += n
	c.from = c.first
	c.size, c.gap = 0, 0
	for i, line := range c.open {
		c.size += utf8.RuneCountInString(line) + 1
		if i > 0 && blankLine(line) {
			c.gap = i
		}
	}
	if c.foot != "" { // a list marker stands before the first part alone
		_, text, _ := strip(c.head[0])
		marker := len(c.head[0]) - len(text)
		c.head = []string{blanked(c.head[0][:marker]) + text}
	}
}

// join puts lines inside the fence, less blank ones at the cuts, or under the header.
func (c *cutter) join(lines []string) string {
	if c.foot != "" && len(lines) > 0 {
		for len(lines) > 1 && blankLine(lines[0]) && len(c.out) > 0 {
			lines = lines[1:]
		}
		for len(lines) > 1 && blankLine(lines[len(lines)-1]) {
			lines = lines[:len(lines)-1]
		}
	}
	all := append(append([]string{}, c.head...), lines...)
	if c.foot != "" {
		all = append(all, c.foot)
	}
	return strings.Join(all, "\n")
}
