package inject

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/knowledge"
	"footnote/knowledge/search"
)

const (
	maxSentences = 6
	maxProse     = 1200 // characters of an answer, code and footer apart
	maxCode      = 2000 // characters of a code block that is quoted
	maxBlocks    = 2    // code blocks quoted
	maxSources   = 5

	firstShare  = 3    // sentences of the best passage that are chosen for themselves
	otherShare  = 2    // of each other one
	closePass   = 0.85 // evidence of a further passage, relative to the best
	closeInside = 0.7  // score of a further sentence, relative to the best of its passage
	closeOver   = 0.75 // and relative to the best of all
	codeShare   = 0.8  // of a code block's score counts: it repeats words rather than explain them
	shortLabel  = 80   // characters of a line that names what the next one says
)

// cited is a passage that the answer quotes.
type cited struct {
	hit    knowledge.Hit
	opened string  // words of the passage that a link may open at
	chunks []int64 // the hit's, and those of others that the same link opens
}

// unit is what is quoted as one: a sentence, or a code block.
type unit struct {
	block    search.Block
	ordinal  int // of the block in its passage
	from, to int // of block.Text
	score    float64
	chosen   bool
}

func (u unit) text() string { return u.block.Text[u.from:u.to] }
func (u unit) code() bool   { return u.block.Kind == search.Code }

// introduces says that a unit says little without the next: it ends in a colon, or is a
// short line that no full stop ends, such as a parameter's name above its description.
func (u unit) introduces() bool {
	if u.code() {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(u.text())
	if last == ':' || last == '：' {
		return true
	}
	whole := u.from == 0 && u.to == len(u.block.Text)
	return whole && u.block.Kind != search.Row && !strings.ContainsRune(".!?。！？؟…", last) &&
		utf8.RuneCountInString(u.text()) <= shortLabel
}

// quota is what an answer may still take.
type quota struct{ sentences, prose, blocks int }

// take reports whether a unit fits, and takes its room.
func (q *quota) take(u unit) bool {
	n := utf8.RuneCountInString(u.text())
	switch {
	case u.code() && (n > maxCode || q.blocks == 0):
		return false
	case u.code():
		q.blocks--
	case q.sentences == 0 || n > q.prose:
		return false
	default:
		q.sentences, q.prose = q.sentences-1, q.prose-n
	}
	return true
}

// extract quotes the sentences that hold most of the question, passage by passage in their
// own order, and gives the passages it quoted; the n-th is marked [n]. No hits, no text.
func extract(q search.Question, hits []knowledge.Hit) (string, []cited) {
	var passages [][]unit
	best := 0.0
	for _, h := range hits {
		if h.Evidence < closePass*hits[0].Evidence || len(passages) == maxSources {
			break
		}
		units := read(q, h)
		for _, u := range units {
			best = max(best, u.score)
		}
		passages = append(passages, units)
	}
	left := quota{maxSentences, maxProse, maxBlocks}
	said := map[string]bool{}
	var out strings.Builder
	var sources []cited
	for i, units := range passages {
		share := otherShare
		if i == 0 {
			share = firstShare
		}
		choose(units, share, best, &left, said)
		if !slices.ContainsFunc(units, func(u unit) bool { return u.chosen }) {
			continue
		}
		c := cited{hit: hits[i], opened: opening(units)}
		n := slices.IndexFunc(sources, func(o cited) bool { return o.hit.Library == c.hit.Library && address(o) == address(c) })
		if n < 0 {
			n = len(sources)
			sources = append(sources, c)
		}
		sources[n].chunks = append(sources[n].chunks, hits[i].ID)
		if out.Len() > 0 {
			out.WriteString("\n\n")
		}
		write(&out, units, n+1)
	}
	return out.String(), sources
}

// read cuts a passage into units and scores them by what they hold of the question, by
// themselves and below their headings.
func read(q search.Question, h knowledge.Hit) []unit {
	var out []unit
	above := h.PageTitle + "\n" + strings.Join(h.Path, "\n") + "\n"
	for i, b := range search.Blocks(h.Text) {
		if b.Kind == search.Heading {
			continue
		}
		bounds := [][2]int{{0, len(b.Text)}}
		if b.Kind == search.Prose || b.Kind == search.Item {
			bounds = search.Sentences(b.Text)
		}
		for _, s := range bounds {
			u := unit{block: b, ordinal: i, from: s[0], to: s[1]}
			u.score = 0.6*q.Share(u.text(), h.Lang) + 0.4*q.Share(above+u.text(), h.Lang)
			if u.code() {
				u.score *= codeShare
			}
			out = append(out, u)
		}
	}
	return out
}

// choose marks the units of a passage that are quoted: its best and those close to it. What
// introduces comes with what it introduces, or not at all.
func choose(units []unit, share int, best float64, left *quota, said map[string]bool) {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(units[b].score, units[a].score) })
	top := 0.0
	for _, i := range order {
		if share == 0 || units[i].score < closeInside*top || units[i].score < closeOver*best {
			break
		}
		from, to := together(units, i)
		if to == len(units) || !fits(units[from:to+1], left, said) {
			continue
		}
		for j := from; j <= to; j++ {
			units[j].chosen = true
			said[units[j].text()] = true
		}
		top = max(top, units[i].score)
		share--
	}
}

// together gives the first and last unit that are quoted with the i-th: what introduces
// code comes before it, what a unit introduces behind. The last is len(units) when that is missing.
func together(units []unit, i int) (from, to int) {
	from, to = i, i
	if units[i].code() && i > 0 && units[i-1].introduces() {
		from--
	}
	for to < len(units) && units[to].introduces() {
		to++
	}
	return from, to
}

// fits takes the room for all units that are not chosen yet, or none of it.
func fits(units []unit, left *quota, said map[string]bool) bool {
	after := *left
	fresh := false
	for _, u := range units {
		if u.chosen {
			continue
		}
		if said[u.text()] || !after.take(u) {
			return false
		}
		fresh = true
	}
	if fresh {
		*left = after
	}
	return fresh
}

// write writes the chosen units: sentences of a block on one line, each with its mark; a
// label on the line of what it names; code between fences.
func write(out *strings.Builder, units []unit, n int) {
	mark := "[" + strconv.Itoa(n) + "]"
	var last *unit
	for i := range units {
		u := &units[i]
		if !u.chosen {
			continue
		}
		labelled := last != nil && last.introduces() && i > 0 && last == &units[i-1] && !u.code()
		switch {
		case last == nil:
		case labelled && strings.HasSuffix(last.text(), ":"), u.ordinal == last.ordinal:
			out.WriteByte(' ')
		case labelled:
			out.WriteString(": ")
		case u.block.Kind == search.Item && last.block.Kind == search.Item:
			out.WriteByte('\n')
		default:
			out.WriteString("\n\n")
		}
		if u.block.Kind == search.Item && !labelled && (last == nil || u.ordinal != last.ordinal) {
			out.WriteString("- ")
		}
		out.WriteString(u.block.Markdown(u.from, u.to))
		switch {
		case u.code():
			out.WriteString("\n\n" + mark)
		case !u.introduces():
			out.WriteString(" " + mark)
		}
		last = u
	}
}

// opening gives a few words of the first chosen unit, whole and next to each other on the
// page too, for a link that opens at them; "" when there are too few.
func opening(units []unit) string {
	for _, u := range units {
		if !u.chosen || u.code() || u.block.Kind == search.Row {
			continue
		}
		words := strings.Fields(u.text())
		words = words[:min(len(words), 8)]
		if len(words) < 3 {
			continue
		}
		return strings.TrimFunc(strings.Join(words, " "), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	}
	return ""
}
