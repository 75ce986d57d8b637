package search

import (
	"slices"
	"strings"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

// measured is a candidate and its evidence.
type measured struct {
	knowledge.Hit
	features
	rare  bool     // holds a word that no other chunk holds, and every word of the question
	terms []string // of the text, sorted, for finding copies
}

// features are what the evidence is a weighted sum of, each in [0,1].
type features struct {
	// Held is the share of the question's weight that the chunk holds, title and breadcrumb included.
	Held float64
	// Match is BM25 over the most that the question's words could reach.
	Match float64
	// Heading is the share held by the title and breadcrumb.
	Heading float64
	// Section is how nearly the chunk's own heading is the question: held, less what else it says.
	Section float64
	// Near is the greatest share held by a stretch of text little longer than the question.
	Near float64
	// Opens is the greatest share held by the first words of a line, where terms are defined.
	Opens float64
}

// BM25's constants, as in SQLite.
const (
	bmK = 1.2
	bmB = 0.75
	// usualLength of a chunk, in terms. It is fixed, so that the evidence of a chunk does
	// not depend on what else was found.
	usualLength = 180
)

// measureAll measures every candidate against the question.
func measureAll(q Question, hits []knowledge.Hit, sc scale) []measured {
	out := make([]measured, len(hits))
	for i, h := range hits {
		out[i] = measure(q, h)
		out[i].Evidence = min(1, sc.Weights.sum(out[i].features))
		out[i].Channel = "words"
	}
	return out
}

func measure(q Question, h knowledge.Hit) measured {
	m := measured{Hit: h}
	above := q.newTally()
	title := fold.Tokens(h.PageTitle, h.Lang)
	for _, tok := range title {
		above.add(q.terms[tok.Text])
	}
	for _, heading := range h.Path {
		for _, tok := range fold.Tokens(heading, h.Lang) {
			above.add(q.terms[tok.Text])
		}
	}
	all := q.newTally()
	all.once(above)
	tokens := fold.Tokens(h.Text, h.Lang)
	var found []sighting
	end, first := 0, true // of the last token; whether the next is its line's first
	for _, tok := range tokens {
		if tok.Start >= end {
			first = end == 0 || strings.IndexByte(h.Text[end:tok.Start], '\n') >= 0
			end = tok.End
		}
		if places := q.terms[tok.Text]; places != nil {
			all.add(places)
			found = append(found, sighting{at: tok.Start, first: first, places: places})
		}
	}
	m.Held, m.Heading = all.share(q), above.share(q)
	m.Match = all.bm25(q, len(tokens)+len(title))
	m.Section = q.section(h)
	m.Near, m.Opens = q.near(found)
	for i, w := range q.words {
		m.rare = m.rare || w.count == 1 && all.held(q, i) == 1
	}
	m.rare = m.rare && m.Held == 1
	m.terms = make([]string, len(tokens))
	for i, tok := range tokens {
		m.terms[i] = tok.Text
	}
	slices.Sort(m.terms)
	m.terms = slices.Compact(m.terms)
	return m
}

// once adds what another tally holds, each word one time: title and breadcrumb repeat each other.
func (t tally) once(o tally) {
	for i := range t.times {
		t.times[i] += min(1, o.times[i])
		for p := range t.parts[i] {
			t.parts[i][p] += min(1, o.parts[i][p])
		}
	}
}

// bm25 is the score of a chunk of length terms over the greatest that the question's words
// could reach.
func (t tally) bm25(q Question, length int) float64 {
	if q.weight == 0 {
		return 0
	}
	norm := bmK * (1 - bmB + bmB*float64(length)/usualLength)
	var sum float64
	for i, w := range q.words {
		n := t.often(i)
		sum += w.weight * n / (n + norm)
	}
	return sum / q.weight
}

// section compares the chunk's own heading, or its page's title where it has none, with the question.
func (q Question) section(h knowledge.Hit) float64 {
	heading := h.PageTitle
	if n := len(h.Path); n > 0 {
		heading = h.Path[n-1]
	}
	held := q.newTally()
	others := 0
	for _, t := range fold.Question(heading, h.Lang) {
		known := false
		for _, form := range t.Forms {
			if places := q.terms[form]; places != nil {
				held.add(places)
				known = true
				break
			}
		}
		if !known && !t.Stop && !t.Part {
			others++
		}
	}
	if q.weight == 0 {
		return 0
	}
	share := held.share(q)
	// A foreign word counts half of a typical one of the question: headings are terse.
	return share / (1 + 0.5*float64(others)/float64(len(q.words)))
}

// sighting is a term of the question in a text.
type sighting struct {
	at     int  // byte
	first  bool // begins a line
	places []place
}

// near gives the greatest shares of the question held by a stretch and by the beginning
// of a line, both about twice as long as the question's own words.
func (q Question) near(found []sighting) (near, opens float64) {
	for i := range found {
		t := q.newTally()
		for _, s := range found[i:] {
			if s.at-found[i].at > q.reach {
				break
			}
			t.add(s.places)
		}
		share := t.share(q)
		near = max(near, share)
		if found[i].first {
			opens = max(opens, share)
		}
	}
	return near, opens
}
