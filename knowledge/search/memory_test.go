package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

// memory is a library in memory, ranked by BM25: Words for tests that are about what
// search makes of candidates, and not about a store.
type memory struct {
	hits     []knowledge.Hit
	lengths  []float64
	mean     float64
	postings map[string]map[int]float64 // term -> chunk -> times
	langs    []string
}

func newMemory(hits ...knowledge.Hit) *memory {
	m := &memory{hits: hits, postings: map[string]map[int]float64{}}
	for i := range hits {
		h := &m.hits[i]
		h.ID = int64(i + 1)
		text := h.PageTitle + "\n" + h.Breadcrumb() + "\n" + h.Text
		n := 0
		for _, tok := range fold.Tokens(text, h.Lang) {
			n++
			if m.postings[tok.Text] == nil {
				m.postings[tok.Text] = map[int]float64{}
			}
			m.postings[tok.Text][i]++
		}
		m.lengths = append(m.lengths, float64(n))
		m.mean += float64(n) / float64(len(hits))
		if !slices.Contains(m.langs, h.Lang) {
			m.langs = append(m.langs, h.Lang)
		}
	}
	return m
}

func (m *memory) in(libraries []string, chunk int) bool {
	return len(libraries) == 0 || slices.Contains(libraries, m.hits[chunk].Library)
}

func (m *memory) holding(libraries, forms []string) map[int]float64 {
	out := map[int]float64{}
	for _, form := range forms {
		for chunk, n := range m.postings[form] {
			if m.in(libraries, chunk) {
				out[chunk] += n
			}
		}
	}
	return out
}

func (m *memory) Rank(_ context.Context, q knowledge.Query) ([]knowledge.Scored, error) {
	terms := fold.Question(q.Text, m.langs...)
	stop := !slices.ContainsFunc(terms, func(t fold.Term) bool { return !t.Stop })
	scores := map[int]float64{}
	for _, t := range terms {
		if t.Stop && !stop {
			continue
		}
		holding := m.holding(q.Libraries, t.Forms)
		n, all := float64(len(holding)), float64(len(m.hits))
		idf := math.Log(1 + (all-n+0.5)/(n+0.5))
		for chunk, times := range holding {
			scores[chunk] += idf * times * 2.2 / (times + 1.2*(0.25+0.75*m.lengths[chunk]/m.mean))
		}
	}
	var out []knowledge.Scored
	for chunk, score := range scores {
		out = append(out, knowledge.Scored{Chunk: int64(chunk + 1), Score: score})
	}
	slices.SortFunc(out, func(a, b knowledge.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out[:min(len(out), q.Limit)], nil
}

func (m *memory) Frequencies(_ context.Context, libraries []string, terms [][]string) ([]int, int, error) {
	counts := make([]int, len(terms))
	for i, forms := range terms {
		counts[i] = len(m.holding(libraries, forms))
	}
	all := 0
	for chunk := range m.hits {
		if m.in(libraries, chunk) {
			all++
		}
	}
	return counts, all, nil
}

func (m *memory) Languages(context.Context, []string) ([]string, error) { return m.langs, nil }

func (m *memory) Hits(_ context.Context, ids []int64) ([]knowledge.Hit, error) {
	var out []knowledge.Hit
	for _, id := range ids {
		if id > 0 && id <= int64(len(m.hits)) {
			out = append(out, m.hits[id-1])
		}
	}
	return out, nil
}
