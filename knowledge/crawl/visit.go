package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
)

const (
	maxAttempts = 4 // of one address, while the host asks for patience
	maxRetries  = 2 // more, after a server error or a broken connection
	// indexLinks is how many links make a list of links an index. A small page of a few
	// of them is somebody's document.
	indexLinks = 5
	// maxRemembered bounds what a worker remembers of links it has judged.
	maxRemembered = 20_000
)

// digest is a hash of a document's text.
type digest [sha256.Size]byte

// result is what a worker found out about an item.
type result struct {
	item
	visited   knowledge.Visited
	digest    digest
	links     []string      // keys in scope, in document order
	target    *url.URL      // of a redirect
	canonical string        // key of the address that the page wants to be known under
	retry     time.Duration // try again after this long
	err       error         // ends the crawl
}

// worker visits addresses. judged remembers links across pages, which mostly repeat
// each other's: link to key, or "" for one that is not followed.
type worker struct {
	*run
	judged map[string]string
	scope  scope // that judged is for
}

// work visits what is dealt until ctx ends.
func (r *run) work(ctx context.Context) {
	w := &worker{run: r, judged: map[string]string{}}
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-r.tasks:
			if ctx.Err() != nil {
				return
			}
			r.results <- w.visit(ctx, next) // there is room: the channel is as long as the window
		}
	}
}

// visit fetches and extracts one address.
func (w *worker) visit(ctx context.Context, next item) result {
	res := result{item: next}
	res.visited = knowledge.Visited{Requested: next.url, URL: next.url, Depth: next.depth}
	u, err := url.Parse(next.url)
	if err != nil {
		res.refuse(knowledge.Unfetched, knowledge.Refuse(knowledge.InvalidURL, "%q is not a web address", next.url))
		return res
	}
	resp, ok := w.get(ctx, u, &res)
	res.visited.At = time.Now()
	if !ok {
		return res
	}
	res.visited.ETag, res.visited.LastModified = resp.ETag, resp.LastModified
	switch {
	case resp.NotModified:
		known := w.spec.Known[next.url]
		res.visited.ETag = cmp.Or(resp.ETag, known.ETag)
		res.visited.LastModified = cmp.Or(resp.LastModified, known.LastModified)
		res.visited.Outcome = knowledge.NotModified
	case resp.Redirect != nil:
		w.redirect(ctx, u, resp.Redirect, &res)
	default:
		w.read(ctx, u, resp, &res)
	}
	return res
}

// get asks for a page by the rules of its host. It is false when res says it all.
func (w *worker) get(ctx context.Context, u *url.URL, res *result) (fetch.Response, bool) {
	rules, refusal, err := w.hosts.robots(ctx, u, w.spec.Delay, w.began.Add(-robotsFresh))
	if err != nil {
		res.err = err
		return fetch.Response{}, false
	}
	delay := w.spec.Delay
	if w.spec.Robots {
		delay = max(delay, rules.delay)
		if refusal == nil && !rules.allows(u.RequestURI()) {
			refusal = disallowed(u)
		}
		if refusal != nil {
			outcome := knowledge.Unfetched
			if refusal.Code == knowledge.RobotsDisallowed {
				outcome = knowledge.Skipped
			}
			res.refuse(outcome, refusal)
			return fetch.Response{}, false
		}
	}
	gate := w.hosts.gate(u.Host)
	if gate.dead() {
		res.refuse(knowledge.Unfetched, knowledge.Refuse(knowledge.ConnectError, "%s has stopped answering; try again later", u.Host))
		return fetch.Response{}, false
	}
	if err := gate.wait(ctx, delay); err != nil {
		res.err = err
		return fetch.Response{}, false
	}
	known := w.spec.Known[res.url]
	resp, err := w.client.Get(ctx, fetch.Request{URL: u, ETag: known.ETag, LastModified: known.LastModified})
	if err != nil {
		w.failed(ctx, gate, delay, err, res)
		return resp, false
	}
	gate.answered()
	return resp, true
}

// failed files a failure: for another attempt, if one may help, or for good.
func (w *worker) failed(ctx context.Context, gate *gate, delay time.Duration, err error, res *result) {
	if ctx.Err() != nil {
		res.err = ctx.Err()
		return
	}
	refusal := asRefusal(err)
	status, answered := errors.AsType[*fetch.StatusError](err)
	backoff := time.Second << (2 * res.attempts) // 1, 4, 16, 64 s
	switch {
	case answered && refusal.Code == knowledge.ConnectError && (status.Status == http.StatusTooManyRequests || status.Status == http.StatusServiceUnavailable):
		pause := cmp.Or(status.RetryAfter, backoff)
		gate.pushback(delay, min(pause, maxPause))
		if res.attempts < maxAttempts && pause <= maxPause {
			res.retry = pause
			return
		}
	case answered:
		gate.answered()
		if refusal.Code == knowledge.ConnectError && res.attempts < maxRetries {
			res.retry = backoff
			return
		}
	case refusal.Code == knowledge.ConnectError:
		gate.unanswered()
		if res.attempts < maxRetries && mayPass(err) {
			res.retry = backoff
			return
		}
	}
	if refusal.Code == knowledge.NotFound {
		res.refuse(knowledge.Vanished, refusal)
		return
	}
	res.refuse(knowledge.Unfetched, refusal)
}

// mayPass says that a failed connection is worth another attempt in this crawl: a cut
// or refused one is, a name that does not exist or a server that takes minutes is not.
func mayPass(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	slow, ok := errors.AsType[net.Error](err)
	return !ok || !slow.Timeout()
}

// redirect hands a redirect to the run; where it leads to another host, the address
// guard has its say first, for the sake of a true reason.
func (w *worker) redirect(ctx context.Context, from, to *url.URL, res *result) {
	if to.Host != from.Host {
		if err := w.client.CheckHost(ctx, to.Hostname()); err != nil {
			if ctx.Err() != nil {
				res.err = ctx.Err()
				return
			}
			res.refuse(knowledge.Unfetched, asRefusal(err))
			return
		}
	}
	res.visited.ETag, res.visited.LastModified = "", ""
	res.target = to
}

func (res *result) refuse(outcome knowledge.Outcome, err *knowledge.Error) {
	res.visited.Outcome, res.visited.Err = outcome, err
}

func disallowed(u *url.URL) *knowledge.Error {
	return knowledge.Refuse(knowledge.RobotsDisallowed, "robots.txt of %s disallows %s for %s", u.Host, u.RequestURI(), fetch.Token)
}
