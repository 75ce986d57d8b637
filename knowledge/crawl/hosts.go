package crawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
)

const (
	// maxHosts is how many hosts are remembered before idle ones are forgotten.
	maxHosts = 1000
	// robotsFresh is how old a robots.txt may be when a crawl begins: old enough for
	// the one that its admission has just read.
	robotsFresh = time.Minute
)

// errRobotsHops ends a robots.txt that redirects too often.
var errRobotsHops = errors.New("robots.txt redirects too often")

// hosts is what is known of the hosts that are talked to, shared by all crawls so that
// two of them do not press one host.
type hosts struct {
	client *fetch.Client

	mu    sync.Mutex
	gates map[string]*gate        // by host with port
	rules map[string]*robotsEntry // by scheme and host
}

// robotsEntry is a host's robots.txt. lock is held, as a channel so that waiting can
// be cancelled, by whoever reads it from the host.
type robotsEntry struct {
	lock    chan struct{}
	robots  robots
	refusal *knowledge.Error // why nothing may be fetched at all
	at      time.Time
}

func newHosts(client *fetch.Client) *hosts {
	return &hosts{client: client, gates: map[string]*gate{}, rules: map[string]*robotsEntry{}}
}

func (h *hosts) gate(host string) *gate {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.gates[host]
	if g == nil {
		if len(h.gates) >= maxHosts {
			h.forget()
		}
		g = newGate()
		h.gates[host] = g
	}
	return g
}

// forget drops what has not been used for a while. It is called with mu held.
func (h *hosts) forget() {
	for host, g := range h.gates {
		if g.idle() {
			delete(h.gates, host)
		}
	}
	for host, e := range h.rules {
		select {
		case e.lock <- struct{}{}:
			if time.Since(e.at) > robotsFresh {
				delete(h.rules, host)
			}
			<-e.lock
		default: // being read
		}
	}
}

// robots gives the robots.txt that governs u, read since the given time or now. The
// refusal says why the host may not be asked for anything; the error is ctx's.
func (h *hosts) robots(ctx context.Context, u *url.URL, delay time.Duration, since time.Time) (robots, *knowledge.Error, error) {
	h.mu.Lock()
	origin := u.Scheme + "://" + u.Host
	e := h.rules[origin]
	if e == nil {
		e = &robotsEntry{lock: make(chan struct{}, 1)}
		h.rules[origin] = e
	}
	h.mu.Unlock()
	select {
	case e.lock <- struct{}{}:
		defer func() { <-e.lock }()
	case <-ctx.Done():
		return robots{}, nil, ctx.Err()
	}
	if !e.at.Before(since) && !e.at.IsZero() {
		return e.robots, e.refusal, nil
	}
	rules, refusal, err := h.readRobots(ctx, u, delay)
	if err != nil {
		return robots{}, nil, err
	}
	e.robots, e.refusal, e.at = rules, refusal, time.Now()
	return rules, refusal, nil
}

// readRobots applies RFC 9309 section 2.3.1: 4xx allows everything, a server that is
// in trouble allows nothing, redirects are followed and the rules belong to the host
// that was asked.
func (h *hosts) readRobots(ctx context.Context, u *url.URL, delay time.Duration) (robots, *knowledge.Error, error) {
	hops := 0
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	resp, err := h.raw(ctx, at, delay, maxRobots, func(*url.URL) error {
		if hops++; hops > maxRobotsHops {
			return errRobotsHops
		}
		return nil
	})
	if ctx.Err() != nil {
		return robots{}, nil, ctx.Err()
	}
	if err == nil {
		return parseRobots(resp.Body, fetch.Token), nil, nil
	}
	if errors.Is(err, errRobotsHops) || errors.Is(err, fetch.ErrRedirects) {
		return robots{}, nil, nil
	}
	if status, ok := errors.AsType[*fetch.StatusError](err); ok {
		if status.Status >= 400 && status.Status < 500 && status.Status != http.StatusTooManyRequests {
			return robots{}, nil, nil
		}
		return robots{}, &knowledge.Error{
			Code:   knowledge.RobotsDisallowed,
			Reason: "the robots.txt of " + u.Host + " cannot be read at the moment, which forbids everything; try again later",
			Cause:  err,
		}, nil
	}
	return robots{}, asRefusal(err), nil
}

// raw reads bytes through the gates of the hosts that they come from. check sees each
// redirect's target.
func (h *hosts) raw(ctx context.Context, u *url.URL, delay time.Duration, limit int64, check func(*url.URL) error) (fetch.Response, error) {
	if err := h.gate(u.Host).wait(ctx, delay); err != nil {
		return fetch.Response{}, err
	}
	return h.client.Raw(ctx, fetch.Request{URL: u, Follow: func(ctx context.Context, to *url.URL) error {
		if err := check(to); err != nil {
			return err
		}
		return h.gate(to.Host).wait(ctx, delay)
	}}, limit)
}

// asRefusal is the refusal in err's chain; what is none is a fault of ours.
func asRefusal(err error) *knowledge.Error {
	if refusal, ok := errors.AsType[*knowledge.Error](err); ok {
		return refusal
	}
	return &knowledge.Error{Code: knowledge.Internal, Reason: "the page could not be read because of a fault in Footnote", Cause: err}
}
