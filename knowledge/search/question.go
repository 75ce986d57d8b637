package search

import (
	"math"
	"slices"

	"footnote/knowledge/fold"
)

// Question is a query's words with their weights: the rarer a word in the libraries that
// are searched, the more it weighs, and one that they do not hold at all weighs most. The
// zero value holds no words.
type Question struct {
	words  []word
	terms  map[string][]place // from an index term to the words it stands for
	weight float64            // of all words
	reach  int                // bytes within which words stand together
}

// word is one word of the question, or a compound with its parts.
type word struct {
	weight float64
	count  int       // chunks that hold it
	parts  []float64 // weights of the parts
}

// place is a word, or with part >= 0 one of its parts.
type place struct{ word, part int }

// partial is how much of a compound's weight its parts are worth when the compound itself is
// not there: "max connections" for max_connections.
const partial = 0.8

func newQuestion(terms []fold.Term, counts []int, chunks int) Question {
	q := Question{terms: map[string][]place{}}
	allStop := !slices.ContainsFunc(terms, func(t fold.Term) bool { return !t.Stop })
	for i, t := range terms {
		if t.Stop && (!allStop || t.Part) {
			continue
		}
		at := place{word: len(q.words), part: -1}
		if idf := rarity(counts[i], chunks); t.Part && len(q.words) > 0 {
			at.word--
			w := &q.words[at.word]
			at.part = len(w.parts)
			w.parts = append(w.parts, idf)
		} else {
			q.words = append(q.words, word{weight: idf, count: counts[i]})
			q.reach += 2 * (len(t.Word) + 1)
		}
		for _, form := range t.Forms {
			q.terms[form] = append(q.terms[form], at)
		}
	}
	for i := range q.words {
		w := &q.words[i]
		if w.count == 0 && len(w.parts) > 1 {
			// Nobody spells it so: it is as rare as its rarest part, and no rarer.
			w.weight = slices.Max(w.parts)
		}
		q.weight += w.weight
	}
	return q
}

// rarity is BM25's inverse document frequency, always above zero.
func rarity(count, chunks int) float64 {
	n, all := float64(count), float64(max(count, chunks))
	return math.Log(1 + (all-n+0.5)/(n+0.5))
}

// Share is how much of the question's weight a text holds, in [0,1].
func (q Question) Share(text, lang string) float64 {
	t := q.newTally()
	for _, tok := range fold.Tokens(text, lang) {
		t.add(q.terms[tok.Text])
	}
	return t.share(q)
}

// tally is what a text has been seen to hold of a question.
type tally struct {
	times []float64   // by word
	parts [][]float64 // by word and part
}

func (q Question) newTally() tally {
	t := tally{times: make([]float64, len(q.words)), parts: make([][]float64, len(q.words))}
	for i, w := range q.words {
		t.parts[i] = make([]float64, len(w.parts))
	}
	return t
}

func (t tally) add(places []place) {
	for _, p := range places {
		if p.part < 0 {
			t.times[p.word]++
		} else {
			t.parts[p.word][p.part]++
		}
	}
}

// held is how much of a word is there: all of it, or by its parts.
func (t tally) held(q Question, i int) float64 {
	if t.times[i] > 0 {
		return 1
	}
	if len(t.parts[i]) < 2 {
		return 0
	}
	var have, all float64
	for p, w := range q.words[i].parts {
		all += w
		if t.parts[i][p] > 0 {
			have += w
		}
	}
	return partial * have / all
}

func (t tally) share(q Question) float64 {
	if q.weight == 0 {
		return 0
	}
	var sum float64
	for i, w := range q.words {
		sum += w.weight * t.held(q, i)
	}
	return sum / q.weight
}

// often is how many times a word is there; parts count when all are there.
func (t tally) often(i int) float64 {
	if len(t.parts[i]) < 2 {
		return t.times[i]
	}
	return max(t.times[i], partial*slices.Min(t.parts[i]))
}
