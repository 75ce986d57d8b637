package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/jobs"

	"github.com/google/go-cmp/cmp"
)

// A shutdown interrupts the job, keeps its pages and says so; the next start resumes
// it without fetching them again.
func TestShutdownAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(5), every: time.Second}, nil)
		shut := h.open(t)
		req := request()
		req.MaxPages = 4
		if _, err := h.runner.Start(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond)
		shut()
		if diff := cmp.Diff([]string{"docs interrupted"}, h.states()); diff != "" {
			t.Fatal("announced (-want +got):\n" + diff)
		}
		if _, err := h.runner.Start(t.Context(), request()); knowledge.CodeOf(err) != knowledge.ResourceLimit {
			t.Errorf("start after the end: %v", err)
		}
		h.rows = h.rows[:1]

		next := newHouse(t, h.site, func(o *jobs.Options) { o.Store, o.Publisher = h.memory, h.memory })
		defer next.open(t)()
		h.pending[1] = []knowledge.Pending{{URL: page(2).URL, Depth: 1}}
		started, err := next.runner.Resume(t.Context(), knowledge.CrawlRequest{Library: "docs"})
		if err != nil {
			t.Fatal(err)
		}
		if started.Job.ID != 1 || started.Lowered() {
			t.Errorf("resumed %+v", started)
		}
		_ = next.runner.Idle(t.Context(), "")
		want := knowledge.CrawlSpec{
			Start: req.URL, Scope: knowledge.ScopeTree, MaxPages: 2, MaxDepth: 10, Delay: 300 * time.Millisecond, Robots: true,
			Done: []string{page(0).URL, page(1).URL}, Pending: []knowledge.Pending{{URL: page(2).URL, Depth: 1}},
		}
		got := h.site.specs[1]
		got.Done = got.Done[:2] // the fake's list grows while the crawl runs
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("spec (-want +got):\n" + diff)
		}
		if diff := cmp.Diff([]string{"docs completed"}, next.states()); diff != "" {
			t.Error("announced (-want +got):\n" + diff)
		}
		if _, err := next.runner.Resume(t.Context(), knowledge.CrawlRequest{Library: "docs"}); knowledge.CodeOf(err) != knowledge.ResumeRefused {
			t.Errorf("resume of a completed job: %v", err)
		}
	})
}

// A job that was interrupted with its number already kept has nothing left to fetch.
func TestResumeAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(5)}, nil)
		h.rows = []knowledge.Job{{
			ID: 1, Library: "docs", Kind: knowledge.JobCrawl, Start: page(0).URL, MaxPages: 3, Robots: true,
			State: knowledge.Interrupted, Announced: true, ReplyTo: "console:main", Counts: knowledge.Counts{New: 3, Discovered: 9},
		}}
		defer h.open(t)()
		if _, err := h.runner.Resume(t.Context(), knowledge.CrawlRequest{Library: "docs"}); err != nil {
			t.Fatal(err)
		}
		_ = h.runner.Idle(t.Context(), "")
		if diff := cmp.Diff([]string{"docs completed"}, h.states()); diff != "" {
			t.Error("announced (-want +got):\n" + diff)
		}
		if len(h.site.specs) > 0 {
			t.Errorf("crawled %v", h.site.specs)
		}
	})
}

// The lease is renewed three times as often as it lapses.
func TestLeaseRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(1), every: 16 * time.Minute}, nil)
		defer h.open(t)()
		if _, err := h.runner.Start(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
		_ = h.runner.Idle(t.Context(), "")
		if got := len(h.renewed); got != 9 {
			t.Errorf("renewed %d times in 16 minutes, want 9", got)
		}
	})
}

// Whoever has lost a job writes nothing more and announces nothing.
func TestLeaseLost(t *testing.T) {
	for name, every := range map[string]time.Duration{
		"found by the page": time.Second, "found by the renewal": time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, &site{pages: pages(9), every: every}, nil)
				defer h.open(t)()
				if _, err := h.runner.Start(t.Context(), request()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(1500 * time.Millisecond)
				h.memory.mu.Lock()
				h.row(1).Owner = "i2/h2/9@9"
				h.memory.mu.Unlock()
				begun := time.Now()
				_ = h.runner.Idle(t.Context(), "")
				if took := time.Since(begun); took > 2*time.Minute {
					t.Errorf("went on for %s", took)
				}
				job, _ := h.Job(t.Context(), 1)
				if job.State != knowledge.Running || len(h.told) > 0 {
					t.Errorf("job %s, announced %v", job.State, h.states())
				}
			})
		})
	}
}

// Progress comes at most twice a second, skips what is outdated, and ends with the
// terminal state before the outcome is announced.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(40), every: 100 * time.Millisecond}, nil)
		defer h.open(t)()
		var mu sync.Mutex
		var seen []int
		var last knowledge.JobState
		req := request()
		req.Progress = func(job knowledge.Job) {
			mu.Lock()
			defer mu.Unlock()
			if len(h.states()) > 0 {
				t.Error("progress after the outcome")
			}
			seen, last = append(seen, job.Kept()), job.State
			time.Sleep(1200 * time.Millisecond) // a chat that is slow to edit
		}
		if _, err := h.runner.Start(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		_ = h.runner.Idle(t.Context(), "")
		if last != knowledge.Completed {
			t.Errorf("last report %s", last)
		}
		if len(seen) < 3 || len(seen) > 6 || seen[len(seen)-1] != 40 {
			t.Errorf("reported %v", seen)
		}
		if took := h.told[0].EndedAt.Sub(h.told[0].StartedAt); took > 5300*time.Millisecond {
			t.Errorf("the slow chat held the crawl up: %s", took)
		}
	})
}

// Who waits for what one message began does not wait for another's job.
func TestIdleOfAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(3), every: time.Second}, nil)
		defer h.open(t)()
		req := request()
		req.ReplyTo = "chat/1"
		if _, err := h.runner.Start(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := h.runner.Idle(t.Context(), "chat/2"); err != nil || time.Since(start) > 0 {
			t.Errorf("waited %s for another address's job, %v", time.Since(start), err)
		}
		if err := h.runner.Idle(t.Context(), "chat/1"); err != nil || len(h.states()) != 1 {
			t.Errorf("did not wait for its own job: %v after %s", err, time.Since(start))
		}
	})
}

// A process that ends as soon as it has begun ends in order.
func TestEndsAtOnce(t *testing.T) {
	h := newHouse(t, &site{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	runner := jobs.New(jobs.Options{Store: ended{h.memory}})
	if err := runner.Run(ctx); err != nil {
		t.Errorf("Run = %v", err)
	}
}

// ended is a store whose reads end with the context, as a database's do.
type ended struct{ jobs.Store }

func (ended) Unannounced(ctx context.Context) ([]knowledge.Job, error) { return nil, ctx.Err() }

// A start owes the jobs of dead processes an end, and every outcome its announcement;
// what a living process runs or tells is left to it.
func TestRecovery(t *testing.T) {
	dead, living := "i1/h1/1@100", "i1/h1/3@300"
	rows := []knowledge.Job{
		{ID: 1, Library: "cut", State: knowledge.Running, Owner: dead},
		{ID: 2, Library: "untold", State: knowledge.Partial, Owner: dead},
		{ID: 3, Library: "told", State: knowledge.Completed, Owner: dead, Announced: true},
		{ID: 4, Library: "theirs", State: knowledge.Running, Owner: living},
		{ID: 5, Library: "telling", State: knowledge.Completed, Owner: living},
		{ID: 6, Library: "elsewhere", State: knowledge.Failed, Code: knowledge.ConnectError, Owner: "i1/h2/1@100"},
	}
	for i := range rows {
		rows[i].ReplyTo = "console:main"
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{}, func(o *jobs.Options) {
			o.Alive = func(p string) bool { return p == process(living) }
		})
		h.rows = rows
		h.err = errors.New("chat is down")
		h.open(t)()
		if len(h.states()) > 0 {
			t.Fatal("told through a broken chat")
		}
		h.err = nil // what could not be told is told at the next start
		h.open(t)()
		h.open(t)()
		want := []string{"cut interrupted", "untold partial", "elsewhere failed connect_error"}
		if diff := cmp.Diff(want, h.states()); diff != "" {
			t.Error("announced (-want +got):\n" + diff)
		}
	})
}

// A chat that is down when a job ends is told once it is back.
func TestAnnouncedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(1)}, nil)
		h.err = errors.New("not connected")
		defer h.open(t)()
		if _, err := h.runner.Start(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
		_ = h.runner.Idle(t.Context(), "")
		time.Sleep(20 * time.Second)
		h.desk.mu.Lock()
		h.err = nil
		h.desk.mu.Unlock()
		time.Sleep(time.Minute)
		if diff := cmp.Diff([]string{"docs completed"}, h.states()); diff != "" {
			t.Error("announced (-want +got):\n" + diff)
		}
		if job, _ := h.Job(t.Context(), 1); !job.Announced {
			t.Error("the job is not marked announced")
		}
	})
}

func TestRefresh(t *testing.T) {
	known := map[string]knowledge.Visit{page(0).URL: {ETag: `"a"`}, page(1).URL: {}}
	cases := []struct {
		name    string
		library knowledge.Library
		known   map[string]knowledge.Visit
		latest  knowledge.Job
		want    knowledge.CrawlSpec
		code    knowledge.Code
	}{
		{
			name: "from the start URL", known: known,
			library: knowledge.Library{StartURL: "https://docs.test/p0", Scope: knowledge.ScopePrefix, MaxPages: 50},
			latest:  knowledge.Job{Robots: true},
			want:    knowledge.CrawlSpec{Start: "https://docs.test/p0", Scope: knowledge.ScopePrefix, MaxPages: 50, Robots: true, Known: known},
		},
		{
			name: "more pages known than the number", known: known,
			library: knowledge.Library{StartURL: "https://docs.test/p0", Scope: knowledge.ScopeTree, MaxPages: 1},
			latest:  knowledge.Job{Robots: true},
			want:    knowledge.CrawlSpec{Start: "https://docs.test/p0", Scope: knowledge.ScopeTree, MaxPages: 2, Robots: true, Known: known},
		},
		{
			name: "the number is capped", known: known,
			library: knowledge.Library{StartURL: "https://docs.test/p0", Scope: knowledge.ScopeTree, MaxPages: 5000},
			latest:  knowledge.Job{Robots: true},
			want:    knowledge.CrawlSpec{Start: "https://docs.test/p0", Scope: knowledge.ScopeTree, MaxPages: 1000, Robots: true, Known: known},
		},
		{
			name: "only pages that were added", known: known, latest: knowledge.Job{Robots: true},
			want: knowledge.CrawlSpec{Scope: knowledge.ScopeExact, MaxPages: 2, Robots: true, Known: known},
		},
		{
			name: "robots were overridden", known: known,
			library: knowledge.Library{StartURL: "https://docs.test/p0", Scope: knowledge.ScopeTree},
			want:    knowledge.CrawlSpec{Start: "https://docs.test/p0", Scope: knowledge.ScopeTree, MaxPages: 200, Known: known},
		},
		{name: "nothing to begin from", code: knowledge.NoSeed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, &site{}, nil)
				c.library.ID, c.library.Title = "docs", "Docs"
				h.libraries["docs"] = c.library
				h.visits["docs"] = c.known
				c.latest.ID, c.latest.Library, c.latest.State, c.latest.Announced = 1, "docs", knowledge.Completed, true
				h.rows = []knowledge.Job{c.latest}
				defer h.open(t)()
				_, err := h.runner.Refresh(t.Context(), knowledge.CrawlRequest{Library: "Docs", ReplyTo: "console:main"})
				if knowledge.CodeOf(err) != c.code {
					t.Fatalf("refresh: %v, want %q", err, c.code)
				}
				if c.code != "" {
					return
				}
				_ = h.runner.Idle(t.Context(), "")
				c.want.MaxDepth, c.want.Delay = 10, 300*time.Millisecond
				if diff := cmp.Diff([]knowledge.CrawlSpec{c.want}, h.site.specs); diff != "" {
					t.Error("spec (-want +got):\n" + diff)
				}
				if job := h.rows[1]; job.Kind != knowledge.JobRefresh || job.Title != "Docs" {
					t.Errorf("journal line %+v", job)
				}
			})
		})
	}
}

// Nightly refreshes run one after the other; one that is refused stops no other.
func TestRefreshNightly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(2), every: time.Minute}, nil)
		url := "https://docs.test/"
		for _, lib := range []knowledge.Library{
			{ID: "a", StartURL: url, Nightly: true},
			{ID: "b", Nightly: true},
			{ID: "c", StartURL: url, Nightly: true},
			{ID: "d", StartURL: url},
			{ID: "e", StartURL: url, Nightly: true, Archived: true},
		} {
			h.libraries[lib.ID] = lib
		}
		defer h.open(t)()
		begun := time.Now()
		if err := h.runner.RefreshNightly(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 4*time.Minute {
			t.Errorf("took %s, want two refreshes of two minutes in turn", took)
		}
		var got []string
		for _, job := range h.rows {
			got = append(got, job.Library+" "+string(job.State))
		}
		if diff := cmp.Diff([]string{"a completed", "c completed"}, got); diff != "" {
			t.Error("jobs (-want +got):\n" + diff)
		}
		if len(h.told) > 0 {
			t.Errorf("announced %v though nobody asked", h.states())
		}
	})
}

func TestRefreshNightlyFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &site{pages: pages(1)}, nil)
		h.libraries["a"] = knowledge.Library{ID: "a", StartURL: "https://docs.test/", Nightly: true}
		h.libraries["b"] = h.libraries["a"]
		h.refuse = errors.New("disk I/O error")
		defer h.open(t)()
		if err := h.runner.RefreshNightly(t.Context()); err == nil || strings.Count(err.Error(), "disk I/O error") != 2 {
			t.Errorf("faults of two libraries: %v", err)
		}
		h.unlisted = errors.New("no such table")
		if err := h.runner.RefreshNightly(t.Context()); err == nil {
			t.Error("no error though the libraries could not be listed")
		}
	})
}

func TestCancelRefused(t *testing.T) {
	h := newHouse(t, &site{}, nil)
	h.rows = []knowledge.Job{{ID: 1, Library: "theirs", State: knowledge.Running, Owner: "i1/h2/1@1"}}
	for library, want := range map[string]knowledge.Code{
		"docs": knowledge.NotFound, "theirs": knowledge.LibraryBusy, "  ": knowledge.InvalidRequest,
	} {
		if _, err := h.runner.Cancel(t.Context(), library); knowledge.CodeOf(err) != want {
			t.Errorf("cancel %q: %v, want %s", library, err, want)
		}
	}
}
