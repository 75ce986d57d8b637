package index_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/knowledge/chunk"
	"footnote/knowledge/index"
)

// store keeps what it is given, and answers as it is told.
type store struct {
	got    []knowledge.Publication
	stored knowledge.Stored
	err    error
}

func (s *store) Publish(_ context.Context, p knowledge.Publication) (knowledge.Stored, error) {
	s.got = append(s.got, p)
	return s.stored, s.err
}

func TestPublish(t *testing.T) {
	job := knowledge.Job{ID: 7, Library: "go", Owner: "me"}
	headings := []knowledge.Heading{{Level: 1, Text: "Channels", Anchor: "channels", Line: 1}}
	document := knowledge.Visited{
		Requested: "https://docs.example/old", URL: "https://docs.example/new", Outcome: knowledge.Fetched,
		Title: "Channels", Lang: "de", Markdown: "# Channels\n\nSend and receive.\n", Headings: headings,
	}
	chunks := chunk.Split(document.Title, document.Markdown, headings)
	page := knowledge.Page{
		Library: "go", URL: document.URL, Title: "Channels", Lang: "de", Markdown: document.Markdown, Digest: chunk.Digest(chunks),
	}
	unnamed, english := document, page
	unnamed.Lang, english.Lang = "", "en"
	failed := knowledge.Visited{
		URL: "https://docs.example/x", Outcome: knowledge.Unfetched, Markdown: "a login page", Err: knowledge.Refuse(knowledge.ConnectError, "down"),
	}
	for _, test := range []struct {
		name    string
		visited knowledge.Visited
		want    knowledge.Publication
	}{
		{"a document", document, knowledge.Publication{Job: job, Visited: document, Page: page, Chunks: chunks}},
		{"a document that names no language", unnamed, knowledge.Publication{Job: job, Visited: unnamed, Page: english, Chunks: chunks}},
		{"a failure with a body", failed, knowledge.Publication{Job: job, Visited: failed}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &store{stored: knowledge.StoredNew}
			stored, err := index.New(s).Publish(t.Context(), job, test.visited)
			if err != nil || stored != knowledge.StoredNew {
				t.Errorf("stored %q, %v, want what the store says", stored, err)
			}
			if diff := cmp.Diff([]knowledge.Publication{test.want}, s.got); diff != "" {
				t.Errorf("publications (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPublishErrors(t *testing.T) {
	full := knowledge.Refuse(knowledge.StorageFull, "full")
	for _, want := range []error{full, knowledge.ErrLeaseLost} {
		stored, err := index.New(&store{stored: knowledge.StoredNew, err: want}).Publish(t.Context(), knowledge.Job{}, knowledge.Visited{URL: "u"})
		if !errors.Is(err, want) || stored != knowledge.StoredNothing {
			t.Errorf("publish = %q, %v, want nothing and %v", stored, err, want)
		}
	}
}
