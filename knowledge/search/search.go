// Package search answers a query with hits: it takes candidates from the rankers, measures
// each against the question, and lets that evidence decide what is shown, how sure it is and
// in which order. A candidate's rank only brings it here; a question that nothing in
// the libraries is about gets nothing.
//
// Kind: decider. Imports the words of knowledge and knowledge/fold.
package search

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

const (
	// MaxText is the longest query, in characters.
	MaxText = 2000
	// DefaultLimit is Query.Limit where it is zero.
	DefaultLimit = 8
	// MaxLimit is the greatest that Query.Limit can be.
	MaxLimit = 50

	maxTerms   = 64 // of a query, as the stores rank by no more
	candidates = 50 // measured per query, at least
	maxRelated = 5
	perPage    = 3 // hits of one page
)

// Ranker is a channel: candidates for a query, best first, at most q.Limit of them.
type Ranker interface {
	Rank(ctx context.Context, q knowledge.Query) ([]knowledge.Scored, error)
}

// Words is the channel of words, and what measuring its candidates takes.
type Words interface {
	Ranker
	// Frequencies counts the chunks that hold any form of each term, and all chunks.
	Frequencies(ctx context.Context, libraries []string, terms [][]string) (counts []int, chunks int, err error)
	// Languages are those that the libraries' pages are written in.
	Languages(ctx context.Context, libraries []string) ([]string, error)
	// Hits reads chunks, in the order of ids; those that are gone are left out.
	Hits(ctx context.Context, ids []int64) ([]knowledge.Hit, error)
}

// Result is what a search shows, best first.
type Result struct {
	Hits    []knowledge.Hit // best and good
	Related []knowledge.Hit // possible: at most five, and within the limit together with Hits
	Partial bool            // a channel failed and the others answered
	// Question weighs other texts by the same measure, such as the sentences of a hit.
	Question Question
}

// Searcher searches. It is safe for concurrent use.
type Searcher struct {
	words Words
	scale scale
	err   error // of the embedded scale
}

// New makes a Searcher over a store's words.
func New(words Words) *Searcher {
	sc, err := readScale(floorsJSON)
	return &Searcher{words: words, scale: sc, err: err}
}

// Search answers a query. It refuses an empty one (InvalidRequest) and one over MaxText
// characters (RequestTooLarge); a limit out of bounds is brought within them.
func (s *Searcher) Search(ctx context.Context, q knowledge.Query) (Result, error) {
	if s.err != nil {
		return Result{}, s.err
	}
	q, err := valid(q)
	if err != nil {
		return Result{}, err
	}
	question, measured, err := s.measure(ctx, q)
	if err != nil {
		return Result{}, err
	}
	r := s.scale.judge(measured, q.Limit)
	r.Question = question
	for i := range r.Hits {
		r.Hits[i].Snippet = question.Snippet(r.Hits[i].Chunk, r.Hits[i].Lang)
	}
	for i := range r.Related {
		r.Related[i].Snippet = question.Snippet(r.Related[i].Chunk, r.Related[i].Lang)
	}
	return r, nil
}

func valid(q knowledge.Query) (knowledge.Query, error) {
	q.Text = strings.TrimSpace(q.Text)
	if q.Text == "" {
		return q, knowledge.Refuse(knowledge.InvalidRequest, "there is nothing to search for: add some words")
	}
	if n := utf8.RuneCountInString(q.Text); n > MaxText {
		return q, knowledge.Refuse(knowledge.RequestTooLarge, "the query has %d characters, at most %d are allowed: shorten it", n, MaxText)
	}
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit = min(q.Limit, MaxLimit)
	return q, nil
}

// measure gives every candidate its evidence, in no particular order.
func (s *Searcher) measure(ctx context.Context, q knowledge.Query) (Question, []measured, error) {
	question, err := s.question(ctx, q)
	if err != nil || len(question.words) == 0 {
		return question, nil, err
	}
	scored, err := s.words.Rank(ctx, knowledge.Query{Text: q.Text, Libraries: q.Libraries, Limit: max(candidates, q.Limit)})
	if err != nil {
		return question, nil, fmt.Errorf("rank by words: %w", err)
	}
	ids := make([]int64, len(scored))
	for i, c := range scored {
		ids[i] = c.Chunk
	}
	hits, err := s.words.Hits(ctx, ids)
	if err != nil {
		return question, nil, fmt.Errorf("read candidates: %w", err)
	}
	return question, measureAll(question, hits, s.scale), nil
}

// question folds and weighs the query's words.
func (s *Searcher) question(ctx context.Context, q knowledge.Query) (Question, error) {
	langs, err := s.words.Languages(ctx, q.Libraries)
	if err != nil {
		return Question{}, fmt.Errorf("read languages: %w", err)
	}
	terms := fold.Question(q.Text, langs...)
	terms = terms[:min(len(terms), maxTerms)]
	forms := make([][]string, len(terms))
	for i, t := range terms {
		forms[i] = t.Forms
	}
	if len(terms) == 0 {
		return Question{}, nil
	}
	counts, chunks, err := s.words.Frequencies(ctx, q.Libraries, forms)
	if err != nil {
		return Question{}, fmt.Errorf("count words: %w", err)
	}
	return newQuestion(terms, counts, chunks), nil
}
