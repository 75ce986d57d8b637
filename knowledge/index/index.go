// Package index is the write path of a library: a visit's document becomes chunks,
// and both become one publication for the store.
//
// Kind: decider. Imports knowledge and knowledge/chunk.
package index

import (
	"cmp"
	"context"
	"fmt"

	"footnote/knowledge"
	"footnote/knowledge/chunk"
)

// Publisher records a publication in one transaction.
type Publisher interface {
	Publish(ctx context.Context, p knowledge.Publication) (knowledge.Stored, error)
}

// Index publishes what a crawl yields. It is safe for concurrent use.
type Index struct {
	store Publisher
}

// New makes an Index over a store.
func New(store Publisher) *Index { return &Index{store: store} }

// Publish cuts a fetched document into chunks and records the visit; any other visit
// is recorded as it is. The store's refusals and knowledge.ErrLeaseLost come through.
func (x *Index) Publish(ctx context.Context, job knowledge.Job, v knowledge.Visited) (knowledge.Stored, error) {
	p := knowledge.Publication{Job: job, Visited: v}
	if v.Outcome == knowledge.Fetched {
		p.Chunks = chunk.Split(v.Title, v.Markdown, v.Headings)
		p.Page = knowledge.Page{
			Library:  job.Library,
			URL:      v.URL,
			Title:    v.Title,
			Lang:     cmp.Or(v.Lang, "en"),
			Markdown: v.Markdown,
			Digest:   chunk.Digest(p.Chunks),
		}
	}
	stored, err := x.store.Publish(ctx, p)
	if err != nil {
		return knowledge.StoredNothing, fmt.Errorf("index %s: %w", v.URL, err)
	}
	return stored, nil
}
