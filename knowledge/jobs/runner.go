// Package jobs is the journal's state machine: it starts a crawl, keeps its lease,
// hands every visited page to the index, and brings the job to a terminal state that
// is announced once. Every surface (chat, scheduler, command line) starts crawls here.
//
// A job is written down before it runs and its state is written when it ends, both in
// the store; memory holds only what is needed to stop it. So a process that dies loses
// no job: the next start finds the dead owner's jobs, marks them interrupted and says so.
//
// Kind: decider. The store, the crawler and the index are small interfaces here.
package jobs

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"footnote/knowledge"
)

// Runner starts and runs jobs. It is safe for concurrent use. Recover comes
// first; jobs begin to run once Run is called, until then they wait.
type Runner struct {
	o     Options
	owner string

	mu     sync.Mutex
	live   map[int64]*task // handed over or running, by job id
	queue  []*task         // handed over, not yet taken by Run
	wake   chan struct{}   // one slot: the queue has grown
	closed bool            // Run is ending: nothing more is handed over
	idle   chan struct{}   // closed when live empties; nil while it is empty
	owed   []knowledge.Job // outcomes that could not be announced yet
}

// Options are a Runner's parts. Store, Crawler, Publisher and Owner are required.
type Options struct {
	Store     Store
	Crawler   Crawler
	Publisher Publisher
	Owner     knowledge.Owner
	// Alive says whether a process of this host ("4711@1764555000") still runs; nil
	// takes every process but this one for dead.
	Alive    func(process string) bool
	Lease    time.Duration // 0 is 5 minutes
	Defaults Defaults
	// Announce tells the outcome to job.ReplyTo. Nil announces nothing.
	Announce func(ctx context.Context, job knowledge.Job) error
	Log      *slog.Logger // nil discards
}

// Defaults fill in what a request leaves open. They are the configuration's, taken as
// they are: a delay of 0 is no delay.
type Defaults struct {
	MaxPages     int           // documents a crawl keeps
	PageCap      int           // what a request's number is lowered to
	MaxDepth     int           // links away from the start
	Delay        time.Duration // between two requests to a host
	Scope        knowledge.Scope
	IgnoreRobots bool
}

// Journal is where jobs are written while they run.
type Journal interface {
	StartJob(ctx context.Context, job knowledge.Job) (knowledge.Job, error)
	ResumeJob(ctx context.Context, id int64, owner string, until time.Time, replyTo string) (knowledge.Job, error)
	RenewLease(ctx context.Context, id int64, owner string, until time.Time) error
	FinishJob(ctx context.Context, id int64, owner string, state knowledge.JobState, code knowledge.Code, reason string) error
}

// History is what the journal remembers.
type History interface {
	Job(ctx context.Context, id int64) (knowledge.Job, error)
	LatestJob(ctx context.Context, library string) (knowledge.Job, error)
	RunningJobs(ctx context.Context) ([]knowledge.Job, error)
	Frontier(ctx context.Context, id int64) (done []string, pending []knowledge.Pending, err error)
}

// Recovery is what a start owes the jobs of earlier processes.
type Recovery interface {
	RecoverJobs(ctx context.Context, me knowledge.Owner, alive func(process string) bool, now time.Time) ([]knowledge.Job, error)
	Unannounced(ctx context.Context) ([]knowledge.Job, error)
	MarkAnnounced(ctx context.Context, id int64) error
}

// Shelf is what the libraries hold, and how full the store is.
type Shelf interface {
	Library(ctx context.Context, id string) (knowledge.Library, error)
	Libraries(ctx context.Context) ([]knowledge.Library, error)
	Visits(ctx context.Context, library string) (map[string]knowledge.Visit, error)
	Usage(ctx context.Context) (used, quota int64, err error)
}

// Store is everything that a Runner asks of the store.
type Store interface {
	Journal
	History
	Recovery
	Shelf
}

// Crawler admits a crawl and yields its pages. Admit refuses what must not be fetched,
// before anything is. Pages ends when the crawl has, or when ctx does; an error that it
// yields ends the job.
type Crawler interface {
	Admit(ctx context.Context, spec knowledge.CrawlSpec) error
	Pages(ctx context.Context, spec knowledge.CrawlSpec) iter.Seq2[knowledge.Visited, error]
}

// Publisher records one visit: page, passages and journal line in one transaction.
type Publisher interface {
	Publish(ctx context.Context, job knowledge.Job, v knowledge.Visited) (knowledge.Stored, error)
}

// New makes a Runner.
func New(o Options) *Runner {
	o.Lease = cmp.Or(o.Lease, 5*time.Minute)
	if o.Alive == nil {
		me := o.Owner.Process
		o.Alive = func(process string) bool { return process == me }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{
		o:     o,
		owner: o.Owner.String(),
		live:  make(map[int64]*task),
		wake:  make(chan struct{}, 1),
	}
}

// Recover marks what dead processes left running as interrupted. It is called once,
// before anybody can ask for a job's state.
func (r *Runner) Recover(ctx context.Context) error {
	recovered, err := r.o.Store.RecoverJobs(ctx, r.o.Owner, r.o.Alive, time.Now())
	if err != nil {
		return fmt.Errorf("recover jobs: %w", err)
	}
	for _, job := range recovered {
		r.o.Log.InfoContext(ctx, "job interrupted by the end of its process", "job", job.ID, "library", job.Library)
	}
	return nil
}

// Run announces every outcome that is still owed, and then runs jobs until ctx ends.
// It returns when the last job has written its state: a job that ctx cut short is
// interrupted and can be resumed.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.announceOwed(ctx); err != nil {
		return err
	}

	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { r.announceLater(ctx) })
	for {
		for _, t := range r.take() {
			group.Go(func() {
				r.execute(ctx, t)
				r.announce(ctx, t.job)
				r.release(t)
			})
		}
		select {
		case <-ctx.Done():
			if r.close() {
				return nil
			}
		case <-r.wake:
		}
	}
}

// Idle waits until this process runs no job and has tried to announce the last one.
func (r *Runner) Idle(ctx context.Context) error {
	r.mu.Lock()
	idle := r.idle
	r.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Settled waits until the jobs of this process that were asked for at replyTo have ended
// and their outcomes were announced, or tried to be.
func (r *Runner) Settled(ctx context.Context, replyTo string) error {
	r.mu.Lock()
	var ends []chan struct{}
	for _, t := range r.live {
		if t.replyTo == replyTo {
			ends = append(ends, t.done)
		}
	}
	r.mu.Unlock()
	for _, end := range ends {
		select {
		case <-end:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// announceOwed tells the outcomes that an earlier process could not. Those of a
// process that still lives are its own to tell.
func (r *Runner) announceOwed(ctx context.Context) error {
	owed, err := r.o.Store.Unannounced(ctx)
	if err != nil {
		return fmt.Errorf("list unannounced jobs: %w", err)
	}
	r.takeOwed()
	here := knowledge.Owner{Install: r.o.Owner.Install, Host: r.o.Owner.Host}.String()
	for _, job := range owed {
		process, local := strings.CutPrefix(job.Owner, here)
		if local && (process == r.o.Owner.Process || r.o.Alive(process)) {
			continue
		}
		r.announce(ctx, job)
	}
	return nil
}

// An outcome that could not be announced is tried again soon, since at a start the
// chats may still be connecting, and then ever more rarely.
const (
	firstPause = 15 * time.Second
	lastPause  = 16 * time.Minute
)

// announceLater tries the outcomes that could not be announced until ctx ends. What is
// still owed then is in the journal, for the next start.
func (r *Runner) announceLater(ctx context.Context) {
	for pause := firstPause; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		owed := r.takeOwed()
		pause = min(2*pause, lastPause)
		if len(owed) == 0 {
			pause = firstPause
		}
		for _, job := range owed {
			r.announce(ctx, job)
		}
	}
}

func (r *Runner) takeOwed() []knowledge.Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	owed := r.owed
	r.owed = nil
	return owed
}

// announce tells a job's outcome and notes that it did. A job that is not terminal
// was taken over by another owner, who will tell. What fails is owed.
func (r *Runner) announce(ctx context.Context, job knowledge.Job) {
	if !job.State.Terminal() {
		return
	}
	ctx, cancel := drain(ctx)
	defer cancel()
	if r.o.Announce != nil && job.ReplyTo != "" {
		if err := r.o.Announce(ctx, job); err != nil {
			r.o.Log.WarnContext(ctx, "job outcome not announced", "job", job.ID, "library", job.Library, "error", err)
			r.mu.Lock()
			r.owed = append(r.owed, job)
			r.mu.Unlock()
			return
		}
	}
	if err := r.o.Store.MarkAnnounced(ctx, job.ID); err != nil {
		r.o.Log.ErrorContext(ctx, "announced job not marked", "job", job.ID, "error", err)
	}
}

// drainTime bounds what a job still writes after it was told to stop.
const drainTime = 10 * time.Second

// drain is a context for the last words of work whose own context has ended.
func drain(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), drainTime)
}
