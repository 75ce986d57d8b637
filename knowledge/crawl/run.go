package crawl

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"footnote/knowledge"
)

const (
	// window is how many addresses, for each worker, may be under way or wait for their
	// turn to be yielded, and windowBytes how much text may wait. A slow page holds up the
	// yielding of those behind it, and what has not been yielded when a process dies is
	// fetched again: so the window is wide enough for the one and narrow enough for the other.
	window      = 8
	windowBytes = 32 << 20
	// visitsPerPage bounds a crawl that finds addresses but no documents.
	visitsPerPage = 10
	visitsAtLeast = 1000
)

// run is one crawl. Its fields belong to the goroutine that iterates, except those
// above the line, which workers read and nobody writes while they work.
type run struct {
	*Crawler
	spec    knowledge.CrawlSpec
	scope   scope // moved by the start address alone, which is visited by itself
	began   time.Time
	tasks   chan item
	results chan result
	// ----
	frontier *frontier
	content  map[digest]string // of documents kept: where each stands
	etags    map[string]string // of pages that answered 304
	limit    int               // documents
	kept     int
	visits   int

	starting bool // only the start address is under way
	ready    map[int]result
	waiting  int64 // bytes of ready
	dealt    int   // sequence numbers given out
	turn     int   // the one to be yielded next
}

func newRun(c *Crawler, spec knowledge.CrawlSpec) (*run, error) {
	if spec.MaxPages <= 0 {
		spec.MaxPages = DefaultMaxPages
	}
	if spec.MaxDepth <= 0 {
		spec.MaxDepth = DefaultMaxDepth
	}
	r := &run{
		Crawler: c, spec: spec, began: time.Now(),
		tasks: make(chan item, window*c.workers), results: make(chan result, window*c.workers),
		frontier: newFrontier(), content: map[digest]string{}, etags: map[string]string{}, ready: map[int]result{},
	}
	var start *url.URL
	if spec.Start != "" {
		u, key, err := resolve(nil, spec.Start)
		if err != nil {
			return nil, err
		}
		start = u
		r.scope = newScope(spec.Scope, start)
		if slices.Contains(spec.Done, key) {
			r.scope = r.scope.recalled(spec)
		} else {
			r.starting = r.frontier.add(item{url: key, start: true, seed: true})
		}
	} else {
		r.scope = newScope(spec.Scope, nil)
	}
	if !r.starting {
		r.seed()
	}
	r.limit = max(spec.MaxPages, r.revisits())
	return r, nil
}

// revisits is how many known pages are to be visited.
func (r *run) revisits() int {
	n := len(r.spec.Known)
	for _, key := range r.spec.Done {
		if _, ok := r.spec.Known[key]; ok {
			n--
		}
	}
	return n
}

// seed queues what is on record, once the start address has been dealt with.
func (r *run) seed() {
	r.starting = false
	r.frontier.resume(r.spec.Done, r.spec.Pending)
	for _, key := range slices.Sorted(maps.Keys(r.spec.Known)) {
		r.frontier.add(item{url: key, seed: true})
	}
}

// drive deals out addresses and yields outcomes until there is nothing left, the limit
// is reached or the consumer has had enough.
func (r *run) drive(ctx context.Context, yield func(knowledge.Visited, error) bool) error {
	for {
		r.deal()
		if r.dealt == r.turn && (r.frontier.empty() || r.exhausted()) {
			return nil
		}
		if err := r.receive(ctx); err != nil {
			return err
		}
		more, err := r.speak(ctx, yield)
		if err != nil || !more {
			return err
		}
	}
}

// speak yields the outcomes whose turn it is. It is false when that was enough.
func (r *run) speak(ctx context.Context, yield func(knowledge.Visited, error) bool) (bool, error) {
	for {
		res, ok := r.ready[r.turn]
		if !ok {
			return true, nil
		}
		delete(r.ready, r.turn)
		r.waiting -= res.visited.Bytes
		r.turn++
		if res.err != nil {
			return false, res.err
		}
		visited, say := r.settle(ctx, res)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if say && !yield(visited, nil) || r.kept >= r.limit {
			return false, nil
		}
		r.deal()
	}
}

// exhausted says that the crawl has visited far more addresses than it found documents.
func (r *run) exhausted() bool { return r.visits >= r.limit*visitsPerPage+visitsAtLeast }

// room says that another address may be dealt: never more than could still be kept, so
// that no page is fetched only to be thrown away.
func (r *run) room() bool {
	return r.dealt-r.turn < min(cap(r.tasks), r.limit-r.kept) && r.waiting < windowBytes && !r.exhausted()
}

// deal hands addresses to the workers while there is room.
func (r *run) deal() {
	for r.room() {
		next, ok := r.frontier.next(time.Now())
		if !ok {
			return
		}
		next.seq = r.dealt
		r.dealt++
		r.visits++
		r.tasks <- next // there is room: the channel is as long as the window
	}
}

// receive waits for a result, or for a delayed attempt to become due.
func (r *run) receive(ctx context.Context) error {
	var due <-chan time.Time
	if wait := r.frontier.until(time.Now()); wait > 0 && r.room() {
		t := time.NewTimer(wait)
		defer t.Stop()
		due = t.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-due:
	case res := <-r.results:
		r.ready[res.seq] = res
		r.waiting += res.visited.Bytes
	}
	return nil
}
