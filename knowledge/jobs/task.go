package jobs

import (
	"sync"

	"footnote/knowledge"
)

// task is a job of this process, from its start to its announcement. Whoever executes
// it is the only one that touches job and result; others read them once done is closed.
type task struct {
	id       int64
	library  string
	replyTo  string // where it was asked for
	spec     knowledge.CrawlSpec
	progress func(knowledge.Job)

	job    knowledge.Job
	result result

	stopOnce sync.Once
	stop     chan struct{} // closed: an admin cancelled it
	done     chan struct{} // closed: ended and announced
}

func newTask(job knowledge.Job, spec knowledge.CrawlSpec, progress func(knowledge.Job)) *task {
	return &task{
		id: job.ID, library: job.Library, replyTo: job.ReplyTo, spec: spec, progress: progress, job: job,
		stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// cancel asks the task to stop; it may be called any number of times.
func (t *task) cancel() { t.stopOnce.Do(func() { close(t.stop) }) }

// enter counts a task among the live ones, and hands it to Run unless whoever calls
// executes it. It refuses when the runner is ending.
func (r *Runner) enter(t *task, hand bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.live[t.id] = t
	if hand {
		r.queue = append(r.queue, t)
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// take gives the tasks that were handed over.
func (r *Runner) take() []*task {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.queue
	r.queue = nil
	return taken
}

// close ends the handing over. It reports whether nothing is left to be taken: a task
// that came in at the last moment must still be run into its interruption.
func (r *Runner) close() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return len(r.queue) == 0
}

// release forgets a task and wakes who waits for it.
func (r *Runner) release(t *task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, t.id)
	close(t.done)
}

// running finds the live task of a library.
func (r *Runner) running(library string) (*task, bool) {
	return r.find(func(t *task) bool { return t.library == library })
}

// find gives a live task that matches.
func (r *Runner) find(match func(*task) bool) (*task, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.live {
		if match(t) {
			return t, true
		}
	}
	return nil, false
}
