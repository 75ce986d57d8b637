package extract

import (
	"bytes"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds on what a table may ask for.
const (
	maxSpan     = 32 // columns that one cell may cover
	maxRepeated = 80 // bytes of a cell that is repeated in the rows it covers
)

// table writes a table. One that holds code or tables, or that has a single column or
// row and no header, is layout: its cells are written as blocks.
func (w *writer) table(n *html.Node) {
	what := w.page.inside[n]
	if w.flat != blocks || what&(holdsPre|holdsTable|holdsHeading) != 0 || attr(n, "role") == "presentation" {
		w.block(n)
		return
	}
	rows := tableRows(nil, n)
	if layout(rows) {
		w.block(n)
		return
	}
	w.flush()
	if caption := first(n, atom.Caption); caption != nil {
		w.block(caption)
	}
	var over []covered
	width := 0
	for _, row := range rows {
		cells := w.row(row, &over)
		if len(bytes.Join(cells, nil)) == 0 {
			continue
		}
		w.open()
		w.out = append(w.out, '|')
		for _, cell := range cells {
			w.out = append(w.out, ' ')
			w.out = append(w.out, cell...)
			w.out = append(w.out, " |"...)
		}
		if width == 0 {
			width = len(cells)
			w.open()
			w.out = append(w.out, '|')
			for range width {
				w.out = append(w.out, " --- |"...)
			}
		}
	}
	w.owed = min(2, len(w.out))
}

// tableRows collects the rows of a table, not those of tables inside it.
func tableRows(rows []*html.Node, n *html.Node) []*html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			rows = tableRows(rows, c)
		}
	}
	return rows
}

func layout(rows []*html.Node) bool {
	widest := 0
	for _, row := range rows {
		cells := 0
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			switch c.DataAtom {
			case atom.Th:
				return false
			case atom.Td:
				cells++
			}
		}
		widest = max(widest, cells)
	}
	return len(rows) < 2 || widest < 2
}

// covered is a cell that reaches into the rows below.
type covered struct {
	text string
	rows int // rows still to cover
}

// row gives the text of a row's cells. over holds, by column, the cells of earlier rows
// that reach into it.
func (w *writer) row(n *html.Node, over *[]covered) [][]byte {
	var cells [][]byte
	reach := func() { // cells from above come first
		for len(cells) < len(*over) && (*over)[len(cells)].rows > 0 {
			above := &(*over)[len(cells)]
			above.rows--
			cells = append(cells, []byte(above.text))
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		f := look(c)
		if w.page.judge(c, &f) == drop {
			continue
		}
		reach()
		text := w.cell(c)
		down, across := span(c, "rowspan", 1<<16), span(c, "colspan", maxSpan)
		for i := range across {
			if i > 0 {
				text = nil
			}
			if down > 1 {
				for len(*over) <= len(cells) {
					*over = append(*over, covered{})
				}
				repeated := string(text)
				if len(repeated) > maxRepeated {
					repeated = ""
				}
				(*over)[len(cells)] = covered{text: repeated, rows: down - 1}
			}
			cells = append(cells, text)
		}
	}
	reach()
	return cells
}

func span(n *html.Node, key string, most int) int {
	k, err := strconv.Atoi(attr(n, key))
	if err != nil || k < 1 {
		return 1
	}
	return min(k, most)
}

// cell gives one cell's text on one line.
func (w *writer) cell(n *html.Node) []byte {
	w.flat = inCell
	w.children(n)
	w.flat = blocks
	text := bytes.Clone(bytes.TrimSpace(w.text))
	w.text = w.text[:0]
	w.space, w.parted = false, false
	w.opened++
	return text
}
