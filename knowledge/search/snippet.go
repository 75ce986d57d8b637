package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

// MaxSnippet is the longest snippet in characters, marks and ellipses included.
const MaxSnippet = 300

// lead is how many characters a window may begin before the first word it was chosen for.
const lead = 60

// Snippet is the stretch of a chunk that holds most of the question, in readable
// CommonMark on one line: at most MaxSnippet characters, cut between words, the question's words
// bold. A chunk's headings are left out unless they are all it has.
func (q Question) Snippet(c knowledge.Chunk, lang string) string {
	var lines, headings []string
	for _, b := range Blocks(c.Text) {
		line := strings.Join(strings.Fields(b.Text), " ")
		if b.Kind == Heading {
			headings = append(headings, line)
		} else {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		lines = headings
	}
	text := strings.Join(lines, "\n") // a line's end is a place to begin; written as a space
	marks := q.marks(text, lang)
	start := q.window(text, marks)
	for length := MaxSnippet; length > 0; {
		end := cutAt(text, start, length)
		out := render(text, start, end, marks)
		n := utf8.RuneCountInString(out)
		if n <= MaxSnippet {
			return out
		}
		length -= max(1, (n-MaxSnippet)/2)
	}
	return ""
}

// mark is a stretch of text that is a word of the question.
type mark struct {
	span
	places []place
}

func (q Question) marks(text, lang string) []mark {
	var out []mark
	for _, tok := range fold.Tokens(text, lang) {
		if places := q.terms[tok.Text]; places != nil {
			out = append(out, mark{span{tok.Start, tok.End}, places})
		}
	}
	return out
}

// window chooses where the snippet begins.
func (q Question) window(text string, marks []mark) int {
	var starts []int
	line := 0
	for l := range strings.Lines(text) {
		for _, s := range Sentences(strings.TrimSuffix(l, "\n")) {
			starts = append(starts, line+s[0])
		}
		line += len(l)
	}
	sentences := len(starts)
	for _, m := range marks {
		starts = append(starts, wordStart(text, m.from, lead))
	}
	best, bestScore := 0, -1.0
	for i, start := range starts {
		end := cutAt(text, start, MaxSnippet-2*len("… ")-4*min(6, len(marks)))
		t, count, first := q.newTally(), 0, end
		for _, m := range marks {
			if m.from >= start && m.to <= end {
				t.add(m.places)
				count++
				first = min(first, m.from)
			}
		}
		// Of windows that hold the same, the one with more of it, and sooner.
		score := t.share(q) + 0.005*float64(min(count, 10)) - 0.0005*float64(first-start)
		if i >= sentences {
			score -= 0.1
		}
		if score > bestScore {
			best, bestScore = start, score
		}
	}
	return best
}

// wordStart gives the beginning of the word that stands at most back characters before i.
func wordStart(text string, i, back int) int {
	start := i
	for n := 0; n < back && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 {
		return 0
	}
	if gap := strings.IndexAny(text[start:i], " \n"); gap >= 0 {
		return start + gap + 1
	}
	return i
}

// cutAt gives the end of at most n characters from start: the text's end, or the end of a
// word, unless the last words are longer than a third of it all.
func cutAt(text string, start, n int) int {
	end, count := start, 0
	for end < len(text) && count < n {
		_, size := utf8.DecodeRuneInString(text[end:])
		end, count = end+size, count+1
	}
	if end == len(text) {
		return end
	}
	if text[end] == ' ' || text[end] == '\n' {
		return end
	}
	if gap := strings.LastIndexAny(text[start:end], " \n"); gap > (end-start)*2/3 {
		return start + gap
	}
	return end
}

// render writes text[start:end] with the marks in bold and dots where it was cut.
func render(text string, start, end int, marks []mark) string {
	var b strings.Builder
	plain := strings.ReplaceAll(text, "\n", " ")
	if start > 0 {
		b.WriteString("… ")
	}
	at := start
	for _, s := range joinSpans(plain, marks) {
		if s.from < at || s.to > end || !boldable(plain, s) {
			continue
		}
		escape(&b, plain, at, s.from)
		b.WriteString("**")
		escape(&b, plain, s.from, s.to)
		b.WriteString("**")
		at = s.to
	}
	escape(&b, plain, at, end)
	out := strings.TrimSpace(b.String())
	if end < len(text) {
		out += " …"
	}
	return out
}

// joinSpans merges marks, widened to whole names, that overlap, touch, or have only a space between them.
func joinSpans(text string, marks []mark) []span {
	var out []span
	for _, m := range marks {
		m.span = wholeName(text, m.span)
		if n := len(out); n > 0 && m.from <= out[n-1].to+1 && (m.from <= out[n-1].to || text[out[n-1].to] == ' ') {
			out[n-1].to = max(out[n-1].to, m.to)
		} else {
			out = append(out, m.span)
		}
	}
	return slices.Clip(out)
}

// wholeName widens a part of a name such as max_connections to the name, inside which
// bold and underscores would be read as each other's.
func wholeName(text string, s span) span {
	if strings.HasSuffix(text[:s.from], "_") {
		s.from -= len(text[:s.from]) - len(strings.TrimRightFunc(text[:s.from], named))
	}
	if strings.HasPrefix(text[s.to:], "_") {
		s.to += len(text[s.to:]) - len(strings.TrimLeftFunc(text[s.to:], named))
	}
	return s
}

func named(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N) }

// boldable says that ** around a span opens and closes emphasis by CommonMark's rules: a span
// that begins or ends with punctuation must not touch a letter there.
func boldable(text string, s span) bool {
	first, _ := utf8.DecodeRuneInString(text[s.from:])
	last, _ := utf8.DecodeLastRuneInString(text[:s.to])
	before, _ := utf8.DecodeLastRuneInString(text[:s.from])
	after, _ := utf8.DecodeRuneInString(text[s.to:])
	return (wordy(first) || s.from == 0 || !touches(before)) && (wordy(last) || s.to == len(text) || !touches(after))
}

func wordy(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }

func touches(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) }
