package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

const (
	// defaultCandidates is how many chunks Rank gives when the query does not say.
	defaultCandidates = 50
	// maxTerms bounds the work that one question can make: what somebody pasts by the
	// page is ranked by its first words.
	maxTerms = 64
	// From frequentFrom chunks on, words that stand in more than a frequentShare-th of
	// them choose no candidates: reading all those chunks is what makes a search slow. In
	// smaller libraries every word chooses, which ranks better and costs little.
	frequentFrom  = 20_000
	frequentShare = 10
	// headWeight is how much more a word counts in title and headings than in the text.
	headWeight = 3.0
)

// Rank gives the best chunks for a question by BM25 over folded words, best first.
// No libraries means every one that is not archived. Function words are left out unless
// the question has nothing else. In a large library, words that stand in more than a
// tenth of the chunks weigh in what the others have found, and find nothing themselves
// unless all words are such.
func (db *DB) Rank(ctx context.Context, q knowledge.Query) ([]knowledge.Scored, error) {
	scope, err := db.scope(ctx, q.Libraries)
	if err != nil {
		return nil, wrap(err, "rank by words")
	}
	if len(scope.numbers) == 0 {
		return nil, nil
	}
	langs, err := db.languages(ctx, scope)
	if err != nil {
		return nil, wrap(err, "rank by words")
	}
	match, err := db.matching(ctx, scope, content(fold.Question(q.Text, langs...)))
	if err != nil {
		return nil, wrap(err, "rank by words")
	}
	if match == "" {
		return nil, nil
	}
	found, err := collect(ctx, db.reader, func(scan func(...any) error) (s knowledge.Scored, err error) {
		return s, scan(&s.Chunk, &s.Score)
	}, `
		SELECT rowid, -bm25(chunks_fts, ?, 1.0) AS score FROM chunks_fts
		WHERE chunks_fts MATCH ? AND rowid BETWEEN ? AND ? AND `+inScope+`
		ORDER BY score DESC, rowid LIMIT ?`,
		headWeight, match, scope.first, scope.last, scope.list, cmp.Or(max(q.Limit, 0), defaultCandidates))
	return found, wrap(err, "rank by words")
}

// Frequencies tells in how many chunks of some libraries any form of each term
// stands, and how many chunks there are. No libraries means every active one; chunks
// of gone pages are not counted.
func (db *DB) Frequencies(ctx context.Context, libraries []string, terms [][]string) (counts []int, chunks int, err error) {
	scope, err := db.scope(ctx, libraries)
	if err != nil {
		return nil, 0, wrap(err, "count words")
	}
	counts = make([]int, len(terms))
	if len(scope.numbers) == 0 {
		return counts, 0, nil
	}
	if chunks, err = db.countChunks(ctx, scope); err != nil {
		return nil, 0, wrap(err, "count words")
	}
	for i, forms := range terms {
		if counts[i], err = db.countMatches(ctx, scope, anyOf(forms), chunks); err != nil {
			return nil, 0, wrap(err, "count words")
		}
	}
	return counts, chunks, nil
}

// Languages lists the languages of the pages of some libraries, of every active one
// when none is named.
func (db *DB) Languages(ctx context.Context, libraries []string) ([]string, error) {
	scope, err := db.scope(ctx, libraries)
	if err != nil {
		return nil, wrap(err, "list languages")
	}
	langs, err := db.languages(ctx, scope)
	return langs, wrap(err, "list languages")
}

// scope is the libraries that a query reads, as ids of chunks: all lie between first
// and last, and, when those span other libraries too, list names the numbers that are
// meant (a JSON array, else empty).
type scope struct {
	numbers     []int64 // ascending
	first, last int64
	list        string
}

// inScope is the condition on a rowid that goes with scope.list. The test of the empty
// list costs a single library nothing.
const inScope = `(?5 = '' OR rowid >> 32 IN (SELECT value FROM json_each(?5)))`

func (db *DB) scope(ctx context.Context, libraries []string) (scope, error) {
	wanted := ""
	if len(libraries) > 0 {
		list, err := json.Marshal(libraries)
		if err != nil {
			return scope{}, err
		}
		wanted = string(list)
	}
	numbers, err := collect(ctx, db.reader, func(scan func(...any) error) (n int64, err error) {
		return n, scan(&n)
	}, `
		SELECT number FROM libraries
		WHERE CASE ?1 WHEN '' THEN archived = 0 ELSE id IN (SELECT value FROM json_each(?1)) END
		ORDER BY number`, wanted)
	if err != nil || len(numbers) == 0 {
		return scope{}, err
	}
	s := scope{numbers: numbers}
	low, high := numbers[0], numbers[len(numbers)-1]
	s.first, _ = chunkRange(low)
	_, s.last = chunkRange(high)
	if int(high-low) >= len(numbers) {
		list, err := json.Marshal(numbers)
		if err != nil {
			return scope{}, err
		}
		s.list = string(list)
	}
	return s, nil
}

// languages steps through the index from one language to the next, so that its cost
// is the number of different ones and not of pages.
func (db *DB) languages(ctx context.Context, s scope) ([]string, error) {
	if len(s.numbers) == 0 {
		return nil, nil
	}
	type pair struct {
		library int64
		lang    string
	}
	pairs, err := collect(ctx, db.reader, func(scan func(...any) error) (p pair, err error) {
		return p, scan(&p.library, &p.lang)
	}, `
		WITH RECURSIVE step (library, lang) AS (
			SELECT * FROM (SELECT library, lang FROM pages WHERE library >= ?1 ORDER BY library, lang LIMIT 1)
			UNION ALL
			SELECT next.library, next.lang FROM step, pages AS next
			WHERE next.id = (SELECT p.id FROM pages p WHERE (p.library, p.lang) > (step.library, step.lang) ORDER BY p.library, p.lang LIMIT 1)
		)
		SELECT library, lang FROM step WHERE library <= ?2`, s.numbers[0], s.numbers[len(s.numbers)-1])
	if err != nil {
		return nil, err
	}
	var langs []string
	for _, p := range pairs {
		if _, in := slices.BinarySearch(s.numbers, p.library); in && p.lang != "" {
			langs = append(langs, p.lang)
		}
	}
	slices.Sort(langs)
	return slices.Compact(langs), nil
}

// countChunks counts the indexed chunks of a scope.
func (db *DB) countChunks(ctx context.Context, s scope) (int, error) {
	var n int
	err := db.reader.QueryRowContext(ctx, `
		SELECT coalesce(sum(p.chunks), 0) - (
			SELECT coalesce(sum(p.chunks), 0) FROM visits v JOIN pages p ON p.id = v.page
			WHERE v.gone = 1 AND (?3 = '' OR p.library IN (SELECT value FROM json_each(?3))) AND p.library BETWEEN ?1 AND ?2)
		FROM pages p
		WHERE p.library BETWEEN ?1 AND ?2 AND (?3 = '' OR p.library IN (SELECT value FROM json_each(?3)))`,
		s.first>>sequenceBits, s.last>>sequenceBits, s.list).Scan(&n)
	return n, err
}

// countMatches counts the chunks of a scope that meet an expression, at most up to limit.
func (db *DB) countMatches(ctx context.Context, s scope, match string, limit int) (int, error) {
	if match == "" {
		return 0, nil
	}
	var n int
	err := db.reader.QueryRowContext(ctx, `
		SELECT count(*) FROM (
			SELECT 1 FROM chunks_fts
			WHERE chunks_fts MATCH ?1 AND rowid BETWEEN ?2 AND ?3 AND `+inScope+`
			LIMIT ?4)`,
		match, s.first, s.last, limit, s.list).Scan(&n)
	return n, err
}

// content leaves the function words out unless there is nothing else.
func content(terms []fold.Term) []fold.Term {
	kept := slices.DeleteFunc(slices.Clone(terms), func(t fold.Term) bool { return t.Stop })
	if len(kept) == 0 {
		kept = terms
	}
	return kept[:min(len(kept), maxTerms)]
}

// matching is the FTS5 query for a question's terms.
func (db *DB) matching(ctx context.Context, s scope, terms []fold.Term) (string, error) {
	all := expression(terms)
	if len(terms) < 2 {
		return all, nil
	}
	chunks, err := db.countChunks(ctx, s)
	if err != nil || chunks < frequentFrom {
		return all, err
	}
	rare, err := db.rare(ctx, s, terms, chunks/frequentShare)
	if err != nil || len(rare) == 0 || len(rare) == len(terms) {
		return all, err
	}
	// What meets the first half meets the second, which is there for the score alone.
	return "(" + expression(rare) + ") AND (" + all + ")", nil
}

// rare gives the terms that stand in at most limit chunks.
func (db *DB) rare(ctx context.Context, s scope, terms []fold.Term, limit int) ([]fold.Term, error) {
	var rare []fold.Term
	for _, t := range terms {
		match := anyOf(t.Forms)
		n, err := db.countMatches(ctx, s, match, limit+1)
		if err != nil {
			return nil, err
		}
		if match != "" && n <= limit {
			rare = append(rare, t)
		}
	}
	return rare, nil
}

// expression is the FTS5 query that any form of any of the terms meets. A compound name
// comes with its parts as terms of their own: a chunk that holds the whole holds them
// too, and the whole, being rare, outweighs them.
func expression(terms []fold.Term) string {
	var forms []string
	for _, t := range terms {
		for _, f := range t.Forms {
			if !slices.Contains(forms, f) {
				forms = append(forms, f)
			}
		}
	}
	return anyOf(forms)
}

// anyOf is the FTS5 query that any of the forms meets, empty when none is a term.
func anyOf(forms []string) string {
	var quoted []string
	for _, f := range forms {
		if q := quote(f); q != "" {
			quoted = append(quoted, q)
		}
	}
	return strings.Join(quoted, " OR ")
}

// quote makes a term a string of FTS5's query language, in which nothing is an
// operator. What the tokenizer would split, or find nothing in, is no term: empty.
func quote(term string) string {
	if term == "" || strings.ContainsFunc(term, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return ""
	}
	return `"` + strings.ReplaceAll(term, `"`, `""`) + `"`
}
