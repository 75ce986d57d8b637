package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"footnote/knowledge"
)

// progressEvery is the shortest time between two reports of a job's progress: chats
// limit how often a message may be edited.
const progressEvery = 500 * time.Millisecond

// keep holds a running crawl until ctx ends: it renews the lease at a third of its
// length, and stops the crawl when it was cancelled or its lease lost.
func (r *Runner) keep(ctx context.Context, t *task, stop context.CancelCauseFunc) {
	renew := time.NewTicker(lease / 3)
	defer renew.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.stop:
			stop(errCancelled)
			return
		case <-renew.C:
			err := r.o.Store.RenewLease(ctx, t.id, r.owner, time.Now().Add(lease))
			if errors.Is(err, knowledge.ErrLeaseLost) {
				stop(err)
				return
			}
			if err != nil && ctx.Err() == nil {
				// Two more tries fit into the lease; if all fail and another owner
				// takes the job, the next write is refused.
				r.o.Log.WarnContext(ctx, "job lease not renewed", "job", t.id, "error", err)
			}
		}
	}
}

// reportUntil reports the latest counts at most every progressEvery, until ctx ends. It
// is a loop of its own so that a slow chat delays neither lease nor crawl.
func (r *Runner) reportUntil(ctx context.Context, t *task, latest *atomic.Pointer[knowledge.Job]) {
	if t.progress == nil {
		return
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if job := latest.Swap(nil); job != nil {
				r.report(ctx, t, *job)
			}
		}
	}
}

// report hands a job to whoever asked for its progress. A panic there costs the report.
func (r *Runner) report(ctx context.Context, t *task, job knowledge.Job) {
	if t.progress == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			r.o.Log.ErrorContext(ctx, "progress report panicked", "job", t.id,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	t.progress(job)
}
