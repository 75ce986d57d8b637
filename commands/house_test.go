package commands_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/commands"
	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"
	"footnote/knowledge/index"
	"footnote/knowledge/jobs"
	"footnote/knowledge/search"

	"github.com/google/go-cmp/cmp"
)

// manual is a site of three pages, one of which is broken.
type manual struct{}

func (manual) Admit(_ context.Context, spec knowledge.CrawlSpec) error {
	if strings.Contains(spec.Start, "10.0.0.1") {
		return knowledge.Refuse(knowledge.SecurityBlocked, "10.0.0.1 is a private address")
	}
	return nil
}

func (manual) Pages(_ context.Context, spec knowledge.CrawlSpec) iter.Seq2[knowledge.Visited, error] {
	pages := []knowledge.Visited{
		{Title: "Replication", Markdown: "# Replication\n\nA standby server replays the write-ahead log of its primary."},
		{Title: "Vacuum", Markdown: "# Vacuum\n\nVacuum reclaims the storage of dead tuples."},
		{Outcome: knowledge.Unfetched, Err: knowledge.Refuse(knowledge.ConnectError, "pg.test reset the connection")},
	}
	return func(yield func(knowledge.Visited, error) bool) {
		for i, v := range pages[:min(spec.MaxPages, len(pages))] {
			v.Requested = fmt.Sprintf("https://pg.test/docs/%d", i)
			v.URL, v.At, v.Discovered, v.Lang = v.Requested, time.Now(), len(pages), "en"
			if v.Err == nil {
				v.Outcome = knowledge.Fetched
				v.Headings = []knowledge.Heading{{Level: 1, Text: v.Title, Anchor: strings.ToLower(v.Title), Line: 1}}
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// A library's life, over the real store, index, search and job runner.
func TestHouse(t *testing.T) {
	r := newRoom(t)
	var mu sync.Mutex
	var told []gateway.Reply
	runner := jobs.New(jobs.Options{
		Store: r.db, Crawler: manual{}, Publisher: index.New(r.db), Owner: knowledge.Owner{Install: "i1", Host: "h1", Process: "1@1"},
		Defaults: jobs.Defaults{MaxPages: 200, PageCap: 1000, MaxDepth: 10, Scope: knowledge.ScopeTree},
		Announce: func(_ context.Context, job knowledge.Job) error {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, commands.Outcome(job))
			return nil
		},
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	r.router = commands.New(commands.Options{Store: r.db, Jobs: runner, Search: search.New(r.db), Questions: r.router})
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := runner.Recover(ctx); err != nil {
			t.Error(err)
			return
		}
		if err := runner.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer func() { cancel(); group.Wait() }()

	type exchange struct {
		line string
		want string // in the reply or, for a job, in its announcement
		code knowledge.Code
	}
	for _, e := range []exchange{
		{"/kb list", "There is no library yet.", ""},
		{"/kb crawl pg https://10.0.0.1/", "10.0.0.1 is a private address", knowledge.SecurityBlocked},
		{"/kb status pg", "there is no library", knowledge.NotFound},
		{"/kb refresh pg", "there is no library", knowledge.NotFound},
		{"/kb crawl pg https://pg.test/docs/0", "**pg**: crawl completed, with failures. 2 pages (2 new), 2 passages, 1 failed", ""},
		{"/kb list", "- **pg**: 2 pages, 2 passages, checked just now", ""},
		{"/kb search pg how does a standby server follow its primary?", "1 passage in pg:", ""},
		{"/kb search * walrus tusks", "Nothing in these libraries answers this.", ""},
		{"/kb status pg failed", "<https://pg.test/docs/2>: pg.test reset the connection (`connect_error`)", ""},
		{"/kb resume pg", "there is nothing to resume", knowledge.ResumeRefused},
		{"/kb refresh pg", "**pg**: refresh completed, with failures. 2 pages (2 unchanged)", ""},
		{"/kb add pg https://pg.test/docs/0", "**pg**: Replication is unchanged.", ""},
		{"/kb cancel pg", "Nothing is running for \"pg\".", knowledge.NotFound},
		{"/kb archive pg", "**pg** is archived", ""},
		{"/kb search * standby primary", "Nothing in these libraries answers this.", ""},
		{"/kb search pg standby primary", "1 passage in pg:", ""},
	} {
		var rec gatewaytest.Recorder
		if err := r.router.Handle(t.Context(), line(e.line), &rec); err != nil {
			t.Fatalf("%s: %v", e.line, err)
		}
		if err := runner.Idle(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		got := rec.Last()
		mu.Lock()
		if got.Progress != nil && len(told) > 0 {
			got, told = told[0], told[1:]
		}
		mu.Unlock()
		if !strings.Contains(strings.ToLower(got.Text), strings.ToLower(e.want)) || got.Code != string(e.code) {
			t.Errorf("%s\n got %q, code %q\nwant %q, code %q", e.line, got.Text, got.Code, e.want, e.code)
		}
	}
	if len(told) > 0 {
		t.Errorf("announced beside that: %v", told)
	}
	got := r.say(t, line("/kb search pg standby primary")).Hits
	for i := range got {
		got[i].Evidence, got[i].Snippet, got[i].Age = 0, "", ""
	}
	want := []gateway.Hit{{Library: "pg", Title: "Replication", Section: "Replication", URL: "https://pg.test/docs/0#replication", Grade: "best"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("hits (-want +got):\n" + diff)
	}
}
