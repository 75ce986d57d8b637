package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"footnote/knowledge"
)

// errCancelled is the cause of a job's context when an admin stopped it.
var errCancelled = errors.New("cancelled")

// result is what the pages of one execution came to.
type result struct {
	fault *knowledge.Error // what stopped the crawl, nil when it ran to its end
	first *knowledge.Error // the start page's failure, or else the first one

	// The document that was stored last, for who added a single page.
	stored knowledge.Stored
	page   knowledge.Visited
}

// execute runs a task's crawl and leaves its job in the state that the journal has. The
// job ends terminal, unless its lease was lost: then another owner has the last word.
func (r *Runner) execute(ctx context.Context, t *task) {
	ctx, stop := context.WithCancelCause(ctx)
	var latest atomic.Pointer[knowledge.Job]
	var beside sync.WaitGroup
	beside.Go(func() { r.keep(ctx, t, stop) })
	beside.Go(func() { r.reportUntil(ctx, t, &latest) })
	if err := r.crawl(ctx, t, &latest); err != nil {
		r.stopped(ctx, t, err, stop)
	}
	cause := context.Cause(ctx)
	stop(nil)
	beside.Wait()

	if errors.Is(cause, knowledge.ErrLeaseLost) {
		r.o.Log.WarnContext(ctx, "job lost to another owner", "job", t.id, "library", t.library)
		return
	}
	ctx, done := drain(ctx)
	defer done()
	if err := r.finish(ctx, t, cause); err != nil {
		// The row stays running under this owner: the next start interrupts it.
		r.o.Log.ErrorContext(ctx, "job state not written", "job", t.id, "library", t.library, "error", err)
		return
	}
	r.report(ctx, t, t.job)
}

// crawl publishes every page that the crawler yields. It returns when the crawl ends or
// ctx does, with an error when going on is pointless; a panic below ends this job alone.
func (r *Runner) crawl(ctx context.Context, t *task, latest *atomic.Pointer[knowledge.Job]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if t.spec.MaxPages <= 0 {
		return nil // resumed with its number already kept
	}
	job := t.job
	for v, err := range r.o.Crawler.Pages(ctx, t.spec) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil && v.Outcome == knowledge.Unfetched {
			return nil // cut off by the stop: left pending, so that a resumption fetches it
		}
		if err := r.publish(ctx, t, v, &job); err != nil {
			return err
		}
		latest.Store(new(job))
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// publish records a visit. A page that is refused by itself is recorded as a failure
// and the crawl goes on; an error ends the crawl.
func (r *Runner) publish(ctx context.Context, t *task, v knowledge.Visited, job *knowledge.Job) error {
	// A page that has been fetched is kept, also when the job is being stopped: it
	// would have to be fetched again.
	ctx, cancel := drain(ctx)
	defer cancel()
	stored, err := r.o.Publisher.Publish(ctx, *job, v)
	if e, ok := errors.AsType[*knowledge.Error](err); ok && !endsJob(e.Code) {
		v = knowledge.Visited{
			Requested: v.Requested, URL: v.URL, Depth: v.Depth, Outcome: knowledge.Unfetched, Err: e,
			At: v.At, Found: v.Found, Discovered: v.Discovered, Bytes: v.Bytes,
		}
		stored, err = r.o.Publisher.Publish(ctx, *job, v)
	}
	if err != nil {
		return err
	}
	_, known := t.spec.Known[v.URL]
	tally(&job.Counts, v, stored, known)
	t.result.note(t.spec.Start, v, stored)
	return nil
}

// stopped notes why a crawl ended early. That it was told to stop comes first: what
// went wrong after that is not a failure of its own.
func (r *Runner) stopped(ctx context.Context, t *task, err error, stop context.CancelCauseFunc) {
	if errors.Is(err, knowledge.ErrLeaseLost) {
		stop(err)
		return
	}
	if ctx.Err() != nil {
		return
	}
	if e, ok := errors.AsType[*knowledge.Error](err); ok {
		t.result.fault = e
		return
	}
	r.o.Log.ErrorContext(ctx, "job failed", "job", t.id, "library", t.library, "error", err)
	t.result.fault = knowledge.Refuse(knowledge.Internal, "something broke on our side; the log has it under job %d", t.id)
}

// finish writes the job's terminal state. What is announced is what the journal says,
// so the counts are read from there.
func (r *Runner) finish(ctx context.Context, t *task, cause error) error {
	job, err := r.o.Store.Job(ctx, t.id)
	if err != nil {
		return err
	}
	state, e := outcome(job, t.result, cause)
	job.State, job.EndedAt = state, time.Now()
	if e != nil {
		job.Code, job.Reason = e.Code, e.Reason
	}
	if err := r.o.Store.FinishJob(ctx, t.id, r.owner, state, job.Code, job.Reason); err != nil {
		return err
	}
	t.job = job
	r.o.Log.InfoContext(ctx, "job ended", "job", t.id, "library", t.library, "kind", job.Kind, "state", state,
		"code", job.Code, "kept", job.Kept(), "failures", job.Failures)
	return nil
}

// outcome decides a job's terminal state and, when it did not go well, why.
func outcome(job knowledge.Job, res result, cause error) (knowledge.JobState, *knowledge.Error) {
	// A refresh that found its pages gone has learned something; a crawl has not.
	fruitless := job.Kept() == 0 && (job.Kind != knowledge.JobRefresh || job.GonePages == 0)
	switch {
	case res.fault != nil:
		return knowledge.Failed, res.fault
	case errors.Is(cause, errCancelled):
		return knowledge.Cancelled, nil
	case cause != nil:
		return knowledge.Interrupted, nil
	case fruitless && res.first != nil:
		return knowledge.Failed, res.first
	case fruitless:
		return knowledge.Failed, knowledge.Refuse(knowledge.PageNotIngested, "no page held text that could be stored")
	case job.Failures > 0:
		return knowledge.Partial, nil
	}
	return knowledge.Completed, nil
}

// note remembers what the outcome may have to say about a visit.
func (res *result) note(start string, v knowledge.Visited, stored knowledge.Stored) {
	if stored != knowledge.StoredNothing {
		res.stored, res.page = stored, v
	}
	if v.Err == nil {
		return
	}
	if res.first == nil || (v.Requested == start && start != "") {
		res.first = v.Err
	}
}

// tally counts a visit as the journal does; it serves the progress alone. A page that
// is gone is one that was known; any other address without a page has failed.
func tally(c *knowledge.Counts, v knowledge.Visited, stored knowledge.Stored, known bool) {
	c.Discovered = max(c.Discovered, v.Discovered)
	switch v.Outcome {
	case knowledge.Fetched:
		switch stored {
		case knowledge.StoredNew:
			c.New++
		case knowledge.StoredChanged:
			c.Changed++
		case knowledge.StoredUnchanged:
			c.Unchanged++
		case knowledge.StoredNothing:
			c.Excluded++
		}
	case knowledge.NotModified:
		c.Unchanged++
	case knowledge.Redirected:
		c.Redirects++
	case knowledge.Excluded:
		c.Excluded++
	case knowledge.Vanished:
		if known {
			c.GonePages++
		} else {
			c.Failures++
		}
	case knowledge.Unfetched:
		c.Failures++
	case knowledge.Skipped:
		c.Skipped++
	}
}

// endsJob says that no later page of the job would fare better.
func endsJob(code knowledge.Code) bool {
	switch code {
	case knowledge.StorageFull, knowledge.LibraryLimit, knowledge.ResourceLimit, knowledge.Internal:
		return true
	}
	return false
}
