package jobs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/jobs"

	"github.com/google/go-cmp/cmp"
)

// Every way a crawl can go ends in one terminal state that is announced once.
func TestOutcomes(t *testing.T) {
	gone := page(0)
	gone.Outcome, gone.Err = knowledge.Vanished, knowledge.Refuse(knowledge.NotFound, "p0 answers 404")
	robots := page(0)
	robots.Outcome, robots.Err = knowledge.Skipped, knowledge.Refuse(knowledge.RobotsDisallowed, "robots.txt disallows /p0")

	cases := []struct {
		name   string
		site   site
		before func(*house, int)
		want   string
		reason string
		stored bool
	}{
		{name: "all pages kept", site: site{pages: pages(3)}, want: "docs completed", stored: true},
		{
			name: "one page of three failed", want: "docs partial", stored: true,
			site: site{pages: []knowledge.Visited{page(0), broken(1, knowledge.ConnectError, "timeout"), page(2)}},
		},
		{
			name: "the start page's failure is the reason", want: "docs failed connect_error", reason: "docs.test refuses",
			site: site{pages: []knowledge.Visited{broken(7, knowledge.PageNotIngested, "login page"), broken(0, knowledge.ConnectError, "docs.test refuses")}},
		},
		{name: "start page gone", site: site{pages: []knowledge.Visited{gone}}, want: "docs failed not_found", reason: "p0 answers 404"},
		{name: "start page disallowed", site: site{pages: []knowledge.Visited{robots}}, want: "docs failed robots_disallowed", reason: "robots.txt disallows /p0"},
		{name: "no page at all", site: site{}, want: "docs failed page_not_ingested", reason: "no page held text that could be stored"},
		{
			name: "the crawler refuses midway", want: "docs failed resource_limit", reason: "too many bytes", stored: true,
			site: site{pages: pages(1), err: knowledge.Refuse(knowledge.ResourceLimit, "too many bytes")},
		},
		{
			name: "the crawler breaks", want: "docs failed internal_error", stored: true,
			reason: "something broke on our side; the log has it under job 1",
			site:   site{pages: pages(1), err: errors.New("nil frontier")},
		},
		{
			name: "the crawler panics", want: "docs failed internal_error", stored: true,
			reason: "something broke on our side; the log has it under job 1",
			site:   site{pages: pages(3)},
			before: func(_ *house, i int) {
				if i == 2 {
					panic("index out of range")
				}
			},
		},
		{
			name: "cancelled", site: site{pages: pages(3)}, want: "docs cancelled", stored: true,
			before: func(h *house, i int) {
				if i == 1 {
					if _, err := h.runner.Cancel(context.Background(), "docs"); err != nil {
						panic(err)
					}
					time.Sleep(time.Millisecond)
				}
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, &c.site, nil)
				if c.before != nil {
					c.site.before = func(i int) { c.before(h, i) }
				}
				defer h.open(t)()
				if _, err := h.runner.Start(t.Context(), request()); err != nil {
					t.Fatal(err)
				}
				if err := h.runner.Idle(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{c.want}, h.states()); diff != "" {
					t.Error("announced (-want +got):\n" + diff)
				}
				job, _ := h.Job(t.Context(), 1)
				if job.Reason != c.reason {
					t.Errorf("reason %q, want %q", job.Reason, c.reason)
				}
				if !job.Announced {
					t.Error("the job is not marked announced")
				}
				if _, err := h.Library(t.Context(), "docs"); (err == nil) != c.stored {
					t.Errorf("library stored: %v, want %v", err == nil, c.stored)
				}
			})
		})
	}
}

// Who asked for a job waits for it, who did not does not.
func TestIdleOfWhoAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := site{pages: pages(2), before: func(int) { <-hold }}
		h := newHouse(t, &s, nil)
		defer h.open(t)()
		req := request()
		req.ReplyTo = "console:1"
		if _, err := h.runner.Start(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := h.runner.Idle(t.Context(), "console:2"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.runner.Idle(ctx, "console:1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while it runs: %v, want the deadline", err)
		}
		close(hold)
		if err := h.runner.Idle(t.Context(), "console:1"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"docs completed"}, h.states()); diff != "" {
			t.Error("announced (-want +got):\n" + diff)
		}
	})
}

// refusing is a publisher that refuses the pages it names.
type refusing struct {
	*memory
	pages map[string]error
}

func (p refusing) Publish(ctx context.Context, job knowledge.Job, v knowledge.Visited) (knowledge.Stored, error) {
	if err := p.pages[v.URL]; err != nil && v.Outcome == knowledge.Fetched {
		return "", err
	}
	return p.memory.Publish(ctx, job, v)
}

// A full store ends the job and keeps what is stored; a page that is too large is one
// failure among the others.
func TestRefusedPublications(t *testing.T) {
	cases := []struct {
		name string
		err  error
		want string
		kept int
	}{
		{"storage full", knowledge.Refuse(knowledge.StorageFull, "the store is full"), "docs failed kb_storage_full", 1},
		{"library full", knowledge.Refuse(knowledge.LibraryLimit, "5,000 pages"), "docs failed kb_library_limit", 1},
		{"page too large", knowledge.Refuse(knowledge.RequestTooLarge, "too large"), "docs partial", 2},
		{"store broken", errors.New("disk I/O error"), "docs failed internal_error", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var m *memory
				h := newHouse(t, &site{pages: pages(3)}, func(o *jobs.Options) {
					m = o.Store.(*memory)
					o.Publisher = refusing{m, map[string]error{page(1).URL: c.err}}
				})
				defer h.open(t)()
				if _, err := h.runner.Start(t.Context(), request()); err != nil {
					t.Fatal(err)
				}
				_ = h.runner.Idle(t.Context(), "")
				if diff := cmp.Diff([]string{c.want}, h.states()); diff != "" {
					t.Error("announced (-want +got):\n" + diff)
				}
				if job, _ := m.Job(t.Context(), 1); job.Kept() != c.kept {
					t.Errorf("kept %d pages, want %d", job.Kept(), c.kept)
				}
			})
		})
	}
}

// What is refused before it starts leaves nothing in the journal.
func TestStartRefused(t *testing.T) {
	blocked := knowledge.Refuse(knowledge.SecurityBlocked, "10.0.0.1 is a private address")
	cases := []struct {
		name string
		site site
		db   error
		req  knowledge.CrawlRequest
		want knowledge.Code
	}{
		{"address not admitted", site{admit: blocked}, nil, request(), knowledge.SecurityBlocked},
		{"no library name", site{}, nil, knowledge.CrawlRequest{Library: "???", URL: "https://docs.test/"}, knowledge.InvalidRequest},
		{"storage full", site{}, knowledge.Refuse(knowledge.StorageFull, "full"), request(), knowledge.StorageFull},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, &c.site, nil)
			h.refuse = c.db
			_, err := h.runner.Start(t.Context(), c.req)
			if got := knowledge.CodeOf(err); got != c.want {
				t.Errorf("start: %v, want %s", err, c.want)
			}
			_, err = h.runner.Add(t.Context(), c.req)
			if got := knowledge.CodeOf(err); got != c.want {
				t.Errorf("add: %v, want %s", err, c.want)
			}
			if len(h.rows) > 0 {
				t.Errorf("journal holds %v", h.rows)
			}
		})
	}
}

// A full store refuses before a site is asked for its robots.txt.
func TestFullStore(t *testing.T) {
	h := newHouse(t, &site{}, nil)
	h.used = 1 << 30
	if _, err := h.runner.Start(t.Context(), request()); knowledge.CodeOf(err) != knowledge.StorageFull {
		t.Errorf("start: %v", err)
	}
	if h.site.asked > 0 || len(h.rows) > 0 {
		t.Errorf("asked the site %d times, journal %v", h.site.asked, h.rows)
	}
}

// What a request leaves open is filled in, and what it overdoes is lowered.
func TestSpecs(t *testing.T) {
	cases := []struct {
		name    string
		change  func(*knowledge.CrawlRequest)
		want    knowledge.CrawlSpec
		lowered bool
	}{
		{
			"defaults", func(*knowledge.CrawlRequest) {},
			knowledge.CrawlSpec{Scope: knowledge.ScopeTree, MaxPages: 200, Robots: true},
			false,
		},
		{
			"everything said", func(r *knowledge.CrawlRequest) { r.MaxPages, r.Scope, r.IgnoreRobots = 7, knowledge.ScopeDomain, true },
			knowledge.CrawlSpec{Scope: knowledge.ScopeDomain, MaxPages: 7},
			false,
		},
		{
			"above the cap", func(r *knowledge.CrawlRequest) { r.MaxPages = 50_000 },
			knowledge.CrawlSpec{Scope: knowledge.ScopeTree, MaxPages: 1000, Robots: true},
			true,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, &site{pages: pages(1)}, nil)
				defer h.open(t)()
				req := request()
				c.change(&req)
				started, err := h.runner.Start(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				_ = h.runner.Idle(t.Context(), "")
				c.want.Start, c.want.MaxDepth, c.want.Delay = req.URL, 10, 300*time.Millisecond
				if diff := cmp.Diff([]knowledge.CrawlSpec{c.want}, h.site.specs); diff != "" {
					t.Error("spec (-want +got):\n" + diff)
				}
				if started.Lowered() != c.lowered {
					t.Errorf("lowered %v, want %v", started.Lowered(), c.lowered)
				}
				if job := started.Job; job.Robots != c.want.Robots || job.Title != "Docs" || job.Library != "docs" || job.By != "console:me" {
					t.Errorf("journal line %+v", job)
				}
			})
		})
	}
}

func TestAdd(t *testing.T) {
	cases := []struct {
		name string
		site site
		want knowledge.PageAdded
		code knowledge.Code
	}{
		{
			name: "stored", site: site{pages: pages(1)},
			want: knowledge.PageAdded{Stored: knowledge.StoredNew, URL: page(0).URL, Title: "Page 0", Chunks: 2},
		},
		{name: "refused", site: site{pages: []knowledge.Visited{broken(0, knowledge.UnsupportedFormat, "a video")}}, code: knowledge.UnsupportedFormat},
		{name: "nothing there", site: site{}, code: knowledge.PageNotIngested},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, &c.site, nil)
				got, err := h.runner.Add(t.Context(), request()) // no Run: it is synchronous
				if knowledge.CodeOf(err) != c.code {
					t.Fatalf("add: %v, want code %q", err, c.code)
				}
				got.Job = knowledge.Job{}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error("added (-want +got):\n" + diff)
				}
				job, _ := h.Job(t.Context(), 1)
				if !job.State.Terminal() || !job.Announced || job.Kind != knowledge.JobAdd || job.Scope != knowledge.ScopeExact || job.MaxPages != 1 {
					t.Errorf("journal line %+v", job)
				}
				if len(h.told) > 0 {
					t.Errorf("announced %v beside the reply", h.states())
				}
				if _, err := h.Library(t.Context(), "docs"); (err == nil) != (c.code == "") {
					t.Errorf("library exists: %v", err == nil)
				}
				if err := h.runner.Idle(t.Context(), ""); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
