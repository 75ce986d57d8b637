package render

import "strings"

// wrap breaks spans into lines of width columns, 0 for no limit, at spaces and where a
// span is "\n". A word wider than the line stands alone on it, or is broken when hard.
func wrap(spans []span, width int, hard bool) []line {
	w := wrapper{width: width, hard: hard}
	for _, s := range spans {
		if s.text == "\n" {
			w.endWord()
			w.endLine()
			continue
		}
		for text := s.text; text != ""; {
			i := strings.IndexAny(text, " \t\n")
			if i == 0 {
				w.endWord()
				w.gap = span{text: " ", look: s.look, url: s.url}
				text = strings.TrimLeft(text, " \t\n")
				continue
			}
			if i < 0 {
				i = len(text)
			}
			w.word = append(w.word, span{text: text[:i], look: s.look, url: s.url})
			text = text[i:]
		}
	}
	w.endWord()
	if len(w.line) > 0 {
		w.endLine()
	}
	return w.lines
}

// wrapper collects words into lines.
type wrapper struct {
	width int
	hard  bool

	lines []line
	line  line
	used  int  // columns of line
	word  line // the word being read
	gap   span // the space before it
}

func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	n := w.word.width()
	if w.width > 0 && w.used > 0 && w.used+1+n > w.width && w.gap.text != "" {
		w.endLine()
	}
	if w.used > 0 && w.gap.text != "" {
		w.line = append(w.line, w.gap)
		w.used++
	}
	if w.hard && w.width > 0 && n > w.width {
		w.breakWord()
	} else {
		w.line = append(w.line, w.word...)
		w.used += n
	}
	w.word, w.gap = nil, span{}
}

// breakWord spreads the word over as many lines as it needs.
func (w *wrapper) breakWord() {
	for _, s := range w.word {
		from := 0
		for i, r := range s.text {
			n := Width(string(r))
			if w.used > 0 && w.used+n > w.width {
				w.line = append(w.line, span{text: s.text[from:i], look: s.look, url: s.url})
				from = i
				w.endLine()
			}
			w.used += n
		}
		w.line = append(w.line, span{text: s.text[from:], look: s.look, url: s.url})
	}
}

func (w *wrapper) endLine() {
	w.lines = append(w.lines, w.line)
	w.line, w.used, w.gap = nil, 0, span{}
}
