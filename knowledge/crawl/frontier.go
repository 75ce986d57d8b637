package crawl

import (
	"slices"
	"time"

	"footnote/knowledge"
)

// One crawl remembers maxKnown addresses, of maxKnownBytes together. What is found
// beyond them is dropped: no library holds as many pages, and a site that invents
// addresses fills neither memory nor journal.
const (
	maxKnown      = 50_000
	maxKnownBytes = 8 << 20
)

// item is an address to be visited.
type item struct {
	url   string // key
	depth int

	start bool // the start address, or what it redirects to
	seed  bool // start or known: it may move within its site
	// ownName keeps the page under its own address whatever canonical it names, once
	// that has turned out to hold nothing.
	ownName bool

	hops      []string // addresses that redirected here
	attempts  int
	notBefore time.Time // of another attempt
	seq       int       // place in the order of visits
}

// standing is what the crawl knows of an address.
type standing int

const (
	queued standing = iota // to be visited, or under way
	kept                   // a document
	led                    // redirected, or named another address as its canonical
	fruitless
)

// address is an address's entry in the frontier.
type address struct {
	standing standing
	alias    string // a page that named this address its canonical and was not kept for it
	depth    int
}

// frontier is what is known and what is to be visited, in the order of discovery. It
// belongs to the run's own goroutine.
type frontier struct {
	known   map[string]*address
	bytes   int // of known's keys
	queue   []item
	delayed []item // to be tried again, soonest first
}

func newFrontier() *frontier { return &frontier{known: map[string]*address{}} }

// add queues an address that is new and tells whether it was.
func (f *frontier) add(i item) bool {
	if f.known[i.url] != nil || len(f.known) >= maxKnown || f.bytes+len(i.url) > maxKnownBytes {
		return false
	}
	f.bytes += len(i.url)
	f.known[i.url] = &address{depth: i.depth}
	f.queue = append(f.queue, i)
	return true
}

// restore queues again, under its own name, the page that gave way to an address which
// came to nothing.
func (f *frontier) restore(at *address) {
	if at.alias == "" {
		return
	}
	if was := f.known[at.alias]; was != nil {
		was.standing = queued
		f.queue = append(f.queue, item{url: at.alias, depth: was.depth, ownName: true})
	}
	at.alias = ""
}

// passOn says that from, which another page gave way to, redirects to the address to:
// that page now depends on what becomes of to.
func (f *frontier) passOn(from, to string) {
	was, is := f.known[from], f.known[to]
	switch {
	case was.alias == "" || is.standing == kept:
	case was.alias != to && is.standing == queued && is.alias == "":
		is.alias, was.alias = was.alias, ""
	default:
		f.restore(was)
	}
}

// later queues another attempt.
func (f *frontier) later(i item) {
	at, _ := slices.BinarySearchFunc(f.delayed, i, func(a, b item) int {
		if c := a.notBefore.Compare(b.notBefore); c != 0 {
			return c
		}
		return a.seq - b.seq
	})
	f.delayed = slices.Insert(f.delayed, at, i)
}

// next takes the next item that is due.
func (f *frontier) next(now time.Time) (item, bool) {
	if len(f.delayed) > 0 && !f.delayed[0].notBefore.After(now) {
		i := f.delayed[0]
		f.delayed = slices.Delete(f.delayed, 0, 1)
		return i, true
	}
	if len(f.queue) == 0 {
		return item{}, false
	}
	i := f.queue[0]
	f.queue[0] = item{}
	f.queue = f.queue[1:]
	return i, true
}

// until is how long the next delayed attempt is away; 0 when there is none.
func (f *frontier) until(now time.Time) time.Duration {
	if len(f.delayed) == 0 {
		return 0
	}
	return max(time.Nanosecond, f.delayed[0].notBefore.Sub(now))
}

func (f *frontier) empty() bool { return len(f.queue) == 0 && len(f.delayed) == 0 }

// resume takes over what an interrupted crawl had on record.
func (f *frontier) resume(done []string, pending []knowledge.Pending) {
	for _, key := range done {
		f.known[key] = &address{standing: kept} // most are
	}
	pending = slices.Clone(pending)
	slices.SortStableFunc(pending, func(a, b knowledge.Pending) int { return a.Depth - b.Depth })
	for _, p := range pending {
		f.add(item{url: p.URL, depth: p.Depth})
	}
}
