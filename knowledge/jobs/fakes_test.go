package jobs_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/jobs"
)

// memory is a journal with the semantics of the real one, less its SQL.
type memory struct {
	mu        sync.Mutex
	rows      []knowledge.Job
	libraries map[string]knowledge.Library
	visits    map[string]map[string]knowledge.Visit
	done      map[int64][]string
	pending   map[int64][]knowledge.Pending
	renewed   []time.Time
	refuse    error // of the next StartJob
	unlisted  error // of Libraries
	used      int64
}

func newMemory() *memory {
	return &memory{
		libraries: map[string]knowledge.Library{}, visits: map[string]map[string]knowledge.Visit{},
		done: map[int64][]string{}, pending: map[int64][]knowledge.Pending{},
	}
}

// row must be called with mu held.
func (m *memory) row(id int64) *knowledge.Job { return &m.rows[id-1] }

func (m *memory) StartJob(_ context.Context, job knowledge.Job) (knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		return knowledge.Job{}, m.refuse
	}
	for _, other := range m.rows {
		if other.Library == job.Library && other.State == knowledge.Running {
			return knowledge.Job{}, knowledge.Refuse(knowledge.LibraryBusy, "%s is being crawled", job.Library)
		}
	}
	job.ID = int64(len(m.rows) + 1)
	m.rows = append(m.rows, job)
	return job, nil
}

func (m *memory) ResumeJob(_ context.Context, id int64, owner string, until time.Time, replyTo string) (knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.row(id)
	if job.State != knowledge.Interrupted && job.State != knowledge.Cancelled {
		return knowledge.Job{}, knowledge.Refuse(knowledge.ResumeRefused, "the latest job of %s is %s", job.Library, job.State)
	}
	job.State, job.Owner, job.LeaseUntil, job.Announced = knowledge.Running, owner, until, false
	job.ReplyTo = cmp.Or(replyTo, job.ReplyTo)
	return *job, nil
}

func (m *memory) RenewLease(_ context.Context, id int64, owner string, until time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.row(id).Owner != owner {
		return knowledge.ErrLeaseLost
	}
	m.row(id).LeaseUntil = until
	m.renewed = append(m.renewed, time.Now())
	return nil
}

func (m *memory) FinishJob(ctx context.Context, id int64, owner string, state knowledge.JobState, code knowledge.Code, reason string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	job := m.row(id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if job.Owner != owner {
		return knowledge.ErrLeaseLost
	}
	if job.State.Terminal() {
		return fmt.Errorf("job %d has ended twice", id)
	}
	job.State, job.Code, job.Reason, job.EndedAt = state, code, reason, time.Now()
	return nil
}

func (m *memory) Job(_ context.Context, id int64) (knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return *m.row(id), nil
}

func (m *memory) LatestJob(_ context.Context, library string) (knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, job := range slices.Backward(m.rows) {
		if job.Library == library {
			return job, nil
		}
	}
	return knowledge.Job{}, knowledge.Refuse(knowledge.NotFound, "no job of %s", library)
}

func (m *memory) RunningJobs(context.Context) ([]knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.rows), func(j knowledge.Job) bool { return j.State.Terminal() }), nil
}

func (m *memory) Frontier(_ context.Context, id int64) ([]string, []knowledge.Pending, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.done[id], m.pending[id], nil
}

func (m *memory) RecoverJobs(_ context.Context, me knowledge.Owner, alive func(string) bool, _ time.Time) ([]knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var recovered []knowledge.Job
	for i := range m.rows {
		if job := &m.rows[i]; job.State == knowledge.Running && job.Owner != me.String() && !alive(process(job.Owner)) {
			job.State = knowledge.Interrupted
			recovered = append(recovered, *job)
		}
	}
	return recovered, nil
}

func (m *memory) Unannounced(context.Context) ([]knowledge.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.rows), func(j knowledge.Job) bool { return j.Announced || !j.State.Terminal() }), nil
}

func (m *memory) MarkAnnounced(_ context.Context, id int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.row(id).Announced = true
	return nil
}

func (m *memory) Library(_ context.Context, id string) (knowledge.Library, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	lib, ok := m.libraries[id]
	if !ok {
		return lib, knowledge.Refuse(knowledge.NotFound, "there is no library %s", id)
	}
	return lib, nil
}

func (m *memory) Libraries(context.Context) ([]knowledge.Library, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.libraries), func(a, b knowledge.Library) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	}), m.unlisted
}

func (m *memory) Visits(_ context.Context, library string) (map[string]knowledge.Visit, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.visits[library]), nil
}

func (m *memory) Usage(context.Context) (used, quota int64, err error) { return m.used, 1 << 30, nil }

// Publish is the publisher's side: it counts as the store does.
func (m *memory) Publish(ctx context.Context, job knowledge.Job, v knowledge.Visited) (knowledge.Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	row := m.row(job.ID)
	if row.Owner != job.Owner {
		return "", knowledge.ErrLeaseLost
	}
	m.done[job.ID] = append(m.done[job.ID], v.Requested)
	row.Discovered = max(row.Discovered, v.Discovered)
	switch v.Outcome {
	case knowledge.Fetched:
		row.New++
		row.Chunks += 2
		m.libraries[job.Library] = knowledge.Library{ID: job.Library, Title: job.Title, StartURL: job.Start}
		return knowledge.StoredNew, nil
	case knowledge.NotModified:
		row.Unchanged++
	case knowledge.Unfetched:
		row.Failures++
	case knowledge.Vanished:
		row.GonePages++
	case knowledge.Skipped:
		row.Skipped++
	case knowledge.Excluded:
		row.Excluded++
	case knowledge.Redirected:
		row.Redirects++
	}
	return knowledge.StoredNothing, nil
}

// site is a crawler whose pages are given.
type site struct {
	pages  []knowledge.Visited
	every  time.Duration // virtual time a page takes
	err    error         // yielded after the pages
	admit  error
	before func(i int) // called before page i is yielded

	asked int                   // admissions
	specs []knowledge.CrawlSpec // asked for; read once idle
}

func (s *site) Admit(context.Context, knowledge.CrawlSpec) error {
	s.asked++
	return s.admit
}

func (s *site) Pages(ctx context.Context, spec knowledge.CrawlSpec) iter.Seq2[knowledge.Visited, error] {
	s.specs = append(s.specs, spec)
	return func(yield func(knowledge.Visited, error) bool) {
		for i, v := range s.pages {
			if slices.Contains(spec.Done, v.Requested) {
				continue
			}
			select {
			case <-ctx.Done():
				yield(knowledge.Visited{}, ctx.Err())
				return
			case <-time.After(s.every):
			}
			if s.before != nil {
				s.before(i)
			}
			if !yield(v, nil) {
				return
			}
		}
		if s.err != nil {
			yield(knowledge.Visited{}, s.err)
		}
	}
}

// desk collects announcements.
type desk struct {
	mu   sync.Mutex
	told []knowledge.Job
	err  error
}

func (d *desk) announce(_ context.Context, job knowledge.Job) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	d.told = append(d.told, job)
	return nil
}

// states gives what was announced, in order, as "library state code".
func (d *desk) states() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []string
	for _, job := range d.told {
		s := job.Library + " " + string(job.State)
		if job.Code != "" {
			s += " " + string(job.Code)
		}
		list = append(list, s)
	}
	return list
}

var me = knowledge.Owner{Install: "i1", Host: "h1", Process: "2@200"}

func process(owner string) string {
	for i := len(owner) - 1; i >= 0; i-- {
		if owner[i] == '/' {
			return owner[i+1:]
		}
	}
	return owner
}

func page(n int) knowledge.Visited {
	url := fmt.Sprintf("https://docs.test/p%d", n)
	return knowledge.Visited{Requested: url, URL: url, Outcome: knowledge.Fetched, Title: fmt.Sprintf("Page %d", n), Discovered: n + 1}
}

func pages(n int) []knowledge.Visited {
	list := make([]knowledge.Visited, n)
	for i := range list {
		list[i] = page(i)
	}
	return list
}

func broken(n int, code knowledge.Code, reason string) knowledge.Visited {
	v := page(n)
	v.Outcome, v.Err = knowledge.Unfetched, knowledge.Refuse(code, "%s", reason)
	return v
}

func request() knowledge.CrawlRequest {
	return knowledge.CrawlRequest{Library: "Docs", URL: "https://docs.test/p0", By: "console:me", ReplyTo: "console:main"}
}

// house wires a runner over fakes.
type house struct {
	*memory
	*desk
	site   *site
	runner *jobs.Runner
}

func newHouse(t *testing.T, s *site, change func(*jobs.Options)) *house {
	h := &house{memory: newMemory(), desk: &desk{}, site: s}
	o := jobs.Options{
		Defaults: jobs.Defaults{MaxPages: 200, PageCap: 1000, MaxDepth: 10, Delay: 300 * time.Millisecond, Scope: knowledge.ScopeTree},
		Store:    h.memory, Crawler: s, Publisher: h.memory, Owner: me, Announce: h.announce,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	if change != nil {
		change(&o)
	}
	h.runner = jobs.New(o)
	return h
}

// open runs the runner until the returned function is called, which waits for its end.
func (h *house) open(t *testing.T) (shut func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.runner.Recover(ctx); err != nil {
			t.Error(err)
			return
		}
		if err := h.runner.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return func() { cancel(); wg.Wait() }
}
