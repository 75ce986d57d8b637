// Package storetest is the conformance suite of the stores: what sqlite and any other
// store promise, as tests over their method set.
//
// Kind: words (test support). Imports knowledge and knowledge/fold.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

// Limits are the options that a store under test is opened with, small enough to be
// reached.
type Limits struct {
	MaxLibraries int
	MaxPages     int
	MaxRunning   int
	Quota        int64 // bytes; 0 is the store's default
}

// Store is the method set that the consumers' small interfaces are cut from.
type Store interface {
	Library(ctx context.Context, id string) (knowledge.Library, error)
	Libraries(ctx context.Context) ([]knowledge.Library, error)
	UpdateLibrary(ctx context.Context, id string, change func(*knowledge.Library)) error
	DeleteLibrary(ctx context.Context, id string) error
	Usage(ctx context.Context) (used, quota int64, err error)

	Publish(ctx context.Context, p knowledge.Publication) (knowledge.Stored, error)
	Visits(ctx context.Context, library string) (map[string]knowledge.Visit, error)
	Page(ctx context.Context, library, url string) (knowledge.Page, error)
	GonePages(ctx context.Context, library string) ([]knowledge.Page, error)
	RemoveGone(ctx context.Context, library string) (int, error)

	Hits(ctx context.Context, ids []int64) ([]knowledge.Hit, error)
	Rank(ctx context.Context, q knowledge.Query) ([]knowledge.Scored, error)
	Frequencies(ctx context.Context, libraries []string, terms [][]string) (counts []int, chunks int, err error)
	Languages(ctx context.Context, libraries []string) ([]string, error)

	StartJob(ctx context.Context, j knowledge.Job) (knowledge.Job, error)
	RenewLease(ctx context.Context, id int64, owner string, until time.Time) error
	FinishJob(ctx context.Context, id int64, owner string, state knowledge.JobState, code knowledge.Code, reason string) error
	ResumeJob(ctx context.Context, id int64, owner string, until time.Time, replyTo string) (knowledge.Job, error)
	RecoverJobs(ctx context.Context, me knowledge.Owner, alive func(process string) bool, now time.Time) ([]knowledge.Job, error)
	Job(ctx context.Context, id int64) (knowledge.Job, error)
	LatestJob(ctx context.Context, library string) (knowledge.Job, error)
	RunningJobs(ctx context.Context) ([]knowledge.Job, error)
	Frontier(ctx context.Context, id int64) (done []string, pending []knowledge.Pending, err error)
	Failures(ctx context.Context, id int64, limit int) (list []knowledge.Failure, byCode map[knowledge.Code]int, err error)
	Unannounced(ctx context.Context) ([]knowledge.Job, error)
	MarkAnnounced(ctx context.Context, id int64) error

	SaveTurn(ctx context.Context, t knowledge.Turn) error
	LatestTurn(ctx context.Context, conversation string) (knowledge.Turn, error)
	Seen(ctx context.Context, key string, now time.Time) (bool, error)
	SaveConfirmation(ctx context.Context, code, actor, conversation, action string, expires time.Time) error
	TakeConfirmation(ctx context.Context, code, actor, conversation string, now time.Time) (action string, ok bool, err error)
	Setting(ctx context.Context, key string) (string, error)
	SetSetting(ctx context.Context, key, value string) error
	Maintain(ctx context.Context, now time.Time) error
}

// Open gives an empty store with these limits; the suite leaves closing it to open,
// by t.Cleanup.
type Open func(t *testing.T, limits Limits) Store

// Run holds a store to the whole suite.
func Run(t *testing.T, open Open) {
	for _, group := range []struct {
		name string
		run  func(t *testing.T, open Open)
	}{
		{"libraries", testLibraries},
		{"publish", testPublish},
		{"gone", testGone},
		{"match", testMatch},
		{"jobs", testJobs},
		{"limits", testLimits},
		{"turns", testTurns},
		{"concurrency", testConcurrency},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, open) })
	}
}

// roomy are limits that the tests which are about something else do not reach.
func roomy() Limits { return Limits{MaxLibraries: 50, MaxPages: 500, MaxRunning: 10} }

// instant is a fixed time, whole in milliseconds, as every store can keep it.
func instant() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// crawler is the owner of jobs in these tests.
func crawler() knowledge.Owner {
	return knowledge.Owner{Install: "team", Host: "alpha", Process: "100@1"}
}

// kit is a store with what the tests do over and over.
type kit struct {
	Store
	t *testing.T
}

func newKit(t *testing.T, open Open, limits Limits) kit {
	t.Helper()
	return kit{Store: open(t, limits), t: t}
}

// start puts a job into the journal.
func (k kit) start(library string, kind knowledge.JobKind) knowledge.Job {
	k.t.Helper()
	j, err := k.StartJob(k.t.Context(), job(library, kind))
	if err != nil {
		k.t.Fatalf("start %s on %s: %v", kind, library, err)
	}
	return j
}

// finish ends a job as completed.
func (k kit) finish(j knowledge.Job) {
	k.t.Helper()
	if err := k.FinishJob(k.t.Context(), j.ID, j.Owner, knowledge.Completed, "", ""); err != nil {
		k.t.Fatalf("finish job %d: %v", j.ID, err)
	}
}

// publish records a visit that must succeed.
func (k kit) publish(p knowledge.Publication) knowledge.Stored {
	k.t.Helper()
	stored, err := k.Publish(k.t.Context(), p)
	if err != nil {
		k.t.Fatalf("publish %s: %v", p.Visited.URL, err)
	}
	return stored
}

// fill makes a library of pages, one for each text, in one crawl, and gives the job.
func (k kit) fill(library string, texts ...string) knowledge.Job {
	k.t.Helper()
	j := k.start(library, knowledge.JobCrawl)
	for i, text := range texts {
		k.publish(page(j, fmt.Sprintf("p%d", i), text))
	}
	k.finish(j)
	return j
}

// search gives the addresses of the pages that a question finds, best first.
func (k kit) search(question string) []string {
	k.t.Helper()
	found, err := k.Rank(k.t.Context(), knowledge.Query{Text: question})
	if err != nil {
		k.t.Fatalf("rank %q: %v", question, err)
	}
	var ids []int64
	for _, f := range found {
		ids = append(ids, f.Chunk)
	}
	hits, err := k.Hits(k.t.Context(), ids)
	if err != nil {
		k.t.Fatalf("read hits of %q: %v", question, err)
	}
	var urls []string
	for _, h := range hits {
		urls = append(urls, h.PageURL)
	}
	return urls
}

// counts reads a job's counters.
func (k kit) counts(id int64) knowledge.Counts {
	k.t.Helper()
	j, err := k.Job(k.t.Context(), id)
	if err != nil {
		k.t.Fatalf("read job %d: %v", id, err)
	}
	return j.Counts
}

func job(library string, kind knowledge.JobKind) knowledge.Job {
	return knowledge.Job{
		Library: library, Title: "The " + library, Kind: kind,
		Start: address(""), Scope: knowledge.ScopeTree, MaxPages: 200, Robots: true,
		ReplyTo: "console", By: "console:me",
		Owner: crawler().String(), LeaseUntil: instant().Add(5 * time.Minute), StartedAt: instant(),
	}
}

func address(name string) string { return "https://docs.example/" + name }

// page is the publication of a document of one chunk for each paragraph.
func page(j knowledge.Job, name string, paragraphs ...string) knowledge.Publication {
	url := address(name)
	p := knowledge.Publication{
		Job: j,
		Visited: knowledge.Visited{
			Requested: url, URL: url, Depth: 1, Outcome: knowledge.Fetched, Title: "Page " + name, Lang: "en",
			ETag: `"1"`, At: instant(),
		},
		Page: knowledge.Page{Library: j.Library, URL: url, Title: "Page " + name, Lang: "en"},
	}
	for i, text := range paragraphs {
		p.Chunks = append(p.Chunks, knowledge.Chunk{
			Ordinal: i, Path: []string{"Page " + name, fmt.Sprintf("Part %d", i)}, Anchor: fmt.Sprintf("part-%d", i),
			FirstLine: 2*i + 1, LastLine: 2*i + 1, Text: text,
		})
		p.Page.Markdown += text + "\n\n"
		p.Page.Digest += fmt.Sprintf("%x.", text)
	}
	p.Visited.Markdown = p.Page.Markdown
	return p
}

// visit is the publication of an outcome that has no document.
func visit(j knowledge.Job, name string, outcome knowledge.Outcome, refusal *knowledge.Error) knowledge.Publication {
	url := address(name)
	return knowledge.Publication{Job: j, Visited: knowledge.Visited{
		Requested: url, URL: url, Depth: 1, Outcome: outcome, Err: refusal, At: instant(),
	}}
}

// forms are the index terms of a word.
func forms(word string) []string {
	var forms []string
	for _, term := range fold.Question(word) {
		forms = append(forms, term.Forms...)
	}
	return forms
}

// wantCode fails the test unless err is the refusal.
func wantCode(t *testing.T, err error, code knowledge.Code) {
	t.Helper()
	if err == nil || knowledge.CodeOf(err) != code {
		t.Fatalf("err = %v, want the refusal %s", err, code)
	}
}
