package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"footnote/knowledge"
)

// Start begins a crawl of req.URL into req.Library and returns once it is in the
// journal. A refused crawl leaves nothing behind.
func (r *Runner) Start(ctx context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	id, err := knowledge.LibraryID(req.Library)
	if err != nil {
		return knowledge.CrawlStarted{}, err
	}
	d := r.o.Defaults
	asked := req.MaxPages
	if asked <= 0 {
		asked = d.MaxPages
	}
	spec := r.spec(req)
	spec.Scope = req.Scope
	if spec.Scope == "" {
		spec.Scope = d.Scope
	}
	spec.MaxPages = min(asked, d.PageCap)
	t, err := r.begin(ctx, knowledge.JobCrawl, id, req, spec)
	if err != nil {
		return knowledge.CrawlStarted{}, err
	}
	return r.handOver(ctx, t, asked)
}

// Add fetches and stores one page, and returns when that is done. A page that cannot
// be stored is refused with the page's own reason and creates no library.
func (r *Runner) Add(ctx context.Context, req knowledge.CrawlRequest) (knowledge.PageAdded, error) {
	id, err := knowledge.LibraryID(req.Library)
	if err != nil {
		return knowledge.PageAdded{}, err
	}
	spec := r.spec(req)
	spec.Scope, spec.MaxPages = knowledge.ScopeExact, 1
	t, err := r.begin(ctx, knowledge.JobAdd, id, req, spec)
	if err != nil {
		return knowledge.PageAdded{}, err
	}
	if !r.enter(t, false) {
		return knowledge.PageAdded{}, r.turnAway(ctx, t)
	}
	defer r.release(t)
	r.execute(ctx, t)
	switch {
	case !t.job.State.Terminal():
		return knowledge.PageAdded{}, fmt.Errorf("add %s: job %d did not end under its owner", id, t.id)
	case t.job.State == knowledge.Interrupted:
		return knowledge.PageAdded{}, context.Cause(ctx) // told at the next start
	}
	// Whoever called tells the outcome: there is nothing left to announce.
	t.job.ReplyTo = ""
	r.announce(ctx, t.job)
	switch t.job.State {
	case knowledge.Cancelled:
		return knowledge.PageAdded{}, knowledge.Refuse(knowledge.PageNotIngested, "adding %s was cancelled", req.URL)
	case knowledge.Failed:
		return knowledge.PageAdded{}, &knowledge.Error{Code: t.job.Code, Reason: t.job.Reason}
	}
	p := t.result.page
	return knowledge.PageAdded{Job: t.job, Stored: t.result.stored, URL: p.URL, Title: p.Title, Chunks: t.job.Chunks}, nil
}

// Refresh crawls a library again from its start URL, or visits its pages again when
// they were added one by one. It asks conditionally, so that an unchanged page costs
// little; pages that are not found again stay.
func (r *Runner) Refresh(ctx context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	t, err := r.beginRefresh(ctx, req)
	if err != nil {
		return knowledge.CrawlStarted{}, err
	}
	return r.handOver(ctx, t, 0)
}

func (r *Runner) beginRefresh(ctx context.Context, req knowledge.CrawlRequest) (*task, error) {
	lib, err := r.library(ctx, req.Library)
	if err != nil {
		return nil, err
	}
	known, err := r.o.Store.Visits(ctx, lib.ID)
	if err != nil {
		return nil, err
	}
	if lib.StartURL == "" && len(known) == 0 {
		return nil, knowledge.Refuse(knowledge.NoSeed,
			"%q has no page and no start URL to refresh from: begin with `/kb crawl %s <url>`", lib.ID, lib.ID)
	}
	// An override of robots.txt was a decision about this library's site; it holds
	// until a crawl is started without it.
	latest, err := r.o.Store.LatestJob(ctx, lib.ID)
	if err != nil && knowledge.CodeOf(err) != knowledge.NotFound {
		return nil, err
	}
	req.Library, req.URL = lib.Title, lib.StartURL
	req.IgnoreRobots = err == nil && !latest.Robots
	spec := r.spec(req)
	spec.Known = known
	spec.Scope = lib.Scope
	if spec.Scope == "" || lib.StartURL == "" {
		spec.Scope = knowledge.ScopeExact
	}
	d := r.o.Defaults
	wanted := lib.MaxPages
	if wanted <= 0 {
		wanted = d.MaxPages
	}
	spec.MaxPages = max(min(wanted, d.PageCap), len(known))
	if lib.StartURL == "" {
		spec.MaxPages = len(known)
	}
	return r.begin(ctx, knowledge.JobRefresh, lib.ID, req, spec)
}

// Resume continues a library's latest job where it was interrupted or cancelled. Pages
// whose outcome is on record are not fetched again.
func (r *Runner) Resume(ctx context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	id, err := knowledge.LibraryID(req.Library)
	if err != nil {
		return knowledge.CrawlStarted{}, err
	}
	job, err := r.o.Store.LatestJob(ctx, id)
	if err != nil {
		return knowledge.CrawlStarted{}, err
	}
	if job.State == knowledge.Interrupted || job.State == knowledge.Cancelled {
		if err := r.admit(ctx, r.resumed(job)); err != nil {
			return knowledge.CrawlStarted{}, err
		}
	}
	job, err = r.o.Store.ResumeJob(ctx, job.ID, r.owner, time.Now().Add(lease), req.ReplyTo)
	if err != nil {
		return knowledge.CrawlStarted{}, err
	}
	spec := r.resumed(job)
	t := newTask(job, spec, req.Progress)
	if err := r.fillFrontier(ctx, t); err != nil {
		return knowledge.CrawlStarted{}, errors.Join(err, r.abandon(ctx, t))
	}
	return r.handOver(ctx, t, 0)
}

// resumed is the spec of a journal row, less what its frontier adds.
func (r *Runner) resumed(job knowledge.Job) knowledge.CrawlSpec {
	spec := r.spec(knowledge.CrawlRequest{URL: job.Start, IgnoreRobots: !job.Robots})
	spec.Scope = job.Scope
	spec.MaxPages = job.MaxPages - job.Kept()
	return spec
}

func (r *Runner) fillFrontier(ctx context.Context, t *task) (err error) {
	t.spec.Done, t.spec.Pending, err = r.o.Store.Frontier(ctx, t.id)
	if err == nil && t.job.Kind == knowledge.JobRefresh {
		t.spec.Known, err = r.o.Store.Visits(ctx, t.library)
	}
	return err
}

// Cancel asks a library's running job to stop and returns the job as it was last
// written; its end is announced like any other.
func (r *Runner) Cancel(ctx context.Context, library string) (knowledge.Job, error) {
	id, err := knowledge.LibraryID(library)
	if err != nil {
		return knowledge.Job{}, err
	}
	if t, ok := r.running(id); ok {
		t.cancel()
		return r.o.Store.Job(ctx, t.id)
	}
	running, err := r.o.Store.RunningJobs(ctx)
	if err != nil {
		return knowledge.Job{}, err
	}
	for _, job := range running {
		if job.Library == id {
			return knowledge.Job{}, knowledge.Refuse(knowledge.LibraryBusy,
				"the job of %q is run by %s, and only that one can stop it", id, knowledge.OwnerName(job.Owner))
		}
	}
	return knowledge.Job{}, knowledge.Refuse(knowledge.NotFound, "nothing is running for %q", id)
}

// begin admits a crawl and writes it down.
func (r *Runner) begin(ctx context.Context, kind knowledge.JobKind, id string, req knowledge.CrawlRequest, spec knowledge.CrawlSpec) (*task, error) {
	if err := r.admit(ctx, spec); err != nil {
		return nil, err
	}
	now := time.Now()
	job, err := r.o.Store.StartJob(ctx, knowledge.Job{
		Library: id, Title: req.Library, Kind: kind, Start: spec.Start, Scope: spec.Scope,
		MaxPages: spec.MaxPages, Robots: spec.Robots, State: knowledge.Running,
		ReplyTo: req.ReplyTo, By: req.By,
		Owner: r.owner, LeaseUntil: now.Add(lease), StartedAt: now, UpdatedAt: now,
	})
	if err != nil {
		return nil, err
	}
	return newTask(job, spec, req.Progress), nil
}

// admit refuses what must not be fetched. The store looks at its room again when the
// job is written down; a full one is refused here, before any site is asked for anything.
func (r *Runner) admit(ctx context.Context, spec knowledge.CrawlSpec) error {
	used, quota, err := r.o.Store.Usage(ctx)
	if err != nil {
		return err
	}
	if quota > 0 && used >= quota {
		return knowledge.Refuse(knowledge.StorageFull,
			"the store is full, %.1f of %.1f MiB: delete a library, or raise the quota in the configuration", float64(used)/(1<<20), float64(quota)/(1<<20))
	}
	if spec.Start == "" {
		return nil // pages that were admitted when they were added
	}
	return r.o.Crawler.Admit(ctx, spec)
}

// spec is what every kind of crawl takes from the request and the configuration.
func (r *Runner) spec(req knowledge.CrawlRequest) knowledge.CrawlSpec {
	d := r.o.Defaults
	return knowledge.CrawlSpec{
		Start: req.URL, MaxDepth: d.MaxDepth, Delay: d.Delay,
		Robots: !d.IgnoreRobots && !req.IgnoreRobots,
	}
}

func (r *Runner) handOver(ctx context.Context, t *task, asked int) (knowledge.CrawlStarted, error) {
	// Once it is handed over, the job belongs to Run.
	started := knowledge.CrawlStarted{Job: t.job, Asked: asked}
	if !r.enter(t, true) {
		return knowledge.CrawlStarted{}, r.turnAway(ctx, t)
	}
	return started, nil
}

// turnAway ends a job that came while the runner was ending.
func (r *Runner) turnAway(ctx context.Context, t *task) error {
	return errors.Join(
		knowledge.Refuse(knowledge.ResourceLimit, "Footnote is shutting down; ask again when it is back"),
		r.abandon(ctx, t))
}

// abandon writes a job off that will not run, and tells no one but its caller.
func (r *Runner) abandon(ctx context.Context, t *task) error {
	ctx, cancel := drain(ctx)
	defer cancel()
	if err := r.o.Store.FinishJob(ctx, t.id, r.owner, knowledge.Interrupted, "", ""); err != nil {
		return err
	}
	return r.o.Store.MarkAnnounced(ctx, t.id)
}

// library finds a library by what was typed.
func (r *Runner) library(ctx context.Context, typed string) (knowledge.Library, error) {
	id, err := knowledge.LibraryID(typed)
	if err != nil {
		return knowledge.Library{}, err
	}
	return r.o.Store.Library(ctx, id)
}
