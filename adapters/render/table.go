package render

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// columnGap parts the columns of a table.
const columnGap = "  "

// minColumn is how narrow a column may become, in columns of the terminal.
const minColumn = 6

// table lays out rows in aligned columns, the header in bold over a rule. When the
// table is wider than width, the widest columns are narrowed and their cells wrapped.
func (p painter) table(n *extast.Table, width int) []line {
	var rows [][][]span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		l := look(0)
		if _, header := row.(*extast.TableHeader); header {
			l = bold
		}
		var cells [][]span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.inline(cell, l))
		}
		rows = append(rows, cells)
	}
	widths := columnWidths(rows, width)
	var out []line
	for i, row := range rows {
		out = append(out, tableRow(row, widths, n.Alignments)...)
		if i == 0 {
			var rule line
			for c, w := range widths {
				if c > 0 {
					rule = append(rule, span{text: columnGap})
				}
				rule = append(rule, span{text: strings.Repeat("─", w), look: dim})
			}
			out = append(out, rule)
		}
	}
	return out
}

// columnWidths fits the columns into width, 0 for no limit.
func columnWidths(rows [][][]span, width int) []int {
	var widths []int
	for _, row := range rows {
		for c, cell := range row {
			if c == len(widths) {
				widths = append(widths, 1)
			}
			for _, l := range wrap(cell, 0, false) {
				widths[c] = max(widths[c], l.width())
			}
		}
	}
	if width == 0 {
		return widths
	}
	room := width - len(columnGap)*(len(widths)-1)
	for {
		sum, widest := 0, 0
		for c, w := range widths {
			sum += w
			if w > widths[widest] {
				widest = c
			}
		}
		if sum <= room || widths[widest] <= minColumn {
			return widths
		}
		widths[widest] = max(minColumn, widths[widest]-max(1, (sum-room)/len(widths)))
	}
}

// tableRow lays out one row, as many lines as its tallest cell.
func tableRow(row [][]span, widths []int, align []extast.Alignment) []line {
	cells := make([][]line, len(row))
	height := 0
	for c, cell := range row {
		cells[c] = wrap(cell, widths[c], true)
		height = max(height, len(cells[c]))
	}
	out := make([]line, max(height, 1))
	for i := range out {
		for c := range cells {
			if c > 0 {
				out[i] = append(out[i], span{text: columnGap})
			}
			var text line
			if i < len(cells[c]) {
				text = cells[c][i]
			}
			left, right := padding(widths[c]-text.width(), c, align)
			out[i] = append(out[i], span{text: left})
			out[i] = append(out[i], text...)
			out[i] = append(out[i], span{text: right})
		}
	}
	return out
}

func padding(room, column int, align []extast.Alignment) (left, right string) {
	room = max(room, 0)
	n := 0
	if column < len(align) {
		switch align[column] {
		case extast.AlignRight:
			n = room
		case extast.AlignCenter:
			n = room / 2
		}
	}
	return strings.Repeat(" ", n), strings.Repeat(" ", room-n)
}
