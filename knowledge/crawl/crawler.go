// Package crawl turns a start address into a stream of pages: robots.txt and sitemaps,
// the frontier, politeness, the identity of addresses, and fetching with extraction in
// parallel. What is stored is its consumer's business.
//
// Order is by rule, not by luck: addresses are visited breadth-first in the order in
// which they were found, and outcomes are yielded in that order too, whichever worker
// was faster. So the same site gives the same pages whenever a limit cuts a crawl.
//
// Kind: doer. Imports knowledge, knowledge/fetch and knowledge/extract.
package crawl

import (
	"context"
	"iter"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/extract"
	"footnote/knowledge/fetch"
)

// The limits of a spec that names none.
const (
	DefaultMaxPages = 200
	DefaultMaxDepth = 10
	defaultWorkers  = 4
)

// Options configure a Crawler.
type Options struct {
	Client  *fetch.Client // required
	Workers int           // pages fetched and extracted at a time in one crawl; 0 is 4
	Log     *slog.Logger  // nil discards
}

// Crawler crawls. It is safe for concurrent use; all its crawls share one gate for
// each host.
type Crawler struct {
	client  *fetch.Client
	hosts   *hosts
	workers int
	log     *slog.Logger
	extract func(fetch.Kind, []byte, *url.URL) (extract.Document, error)
}

// New makes a crawler.
func New(o Options) *Crawler {
	c := &Crawler{client: o.Client, hosts: newHosts(o.Client), workers: o.Workers, log: o.Log, extract: document}
	if c.workers <= 0 {
		c.workers = defaultWorkers
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Admit refuses at once what could only fail: an address that is none, that may not
// be connected to or that robots.txt forbids, and a crawl with nothing to begin from.
func (c *Crawler) Admit(ctx context.Context, spec knowledge.CrawlSpec) error {
	switch spec.Scope {
	case "", knowledge.ScopeTree, knowledge.ScopePrefix, knowledge.ScopeDomain, knowledge.ScopeExact:
	default:
		return knowledge.Refuse(knowledge.InvalidRequest, "%q is not a scope: use tree, prefix, domain or exact", spec.Scope)
	}
	if spec.Start == "" {
		if len(spec.Known) == 0 && len(spec.Pending) == 0 {
			return knowledge.Refuse(knowledge.NoSeed, "there is no address to begin from; add a page or give a start URL")
		}
		return nil
	}
	u, _, err := resolve(nil, spec.Start)
	if err != nil {
		return err
	}
	if err := c.client.CheckHost(ctx, u.Hostname()); err != nil {
		return err
	}
	if !spec.Robots {
		return nil
	}
	rules, refusal, err := c.hosts.robots(ctx, u, spec.Delay, time.Now())
	if err != nil {
		return err
	}
	if refusal == nil && !rules.allows(u.RequestURI()) {
		refusal = disallowed(u)
	}
	if refusal != nil {
		return refusal
	}
	return nil
}

// Pages crawls and yields every address's outcome once, in the order in which they
// were found. The error is a fault or the end of ctx, after which nothing follows. The
// consumer runs beside the fetching, and nothing is left running once the loop is over,
// however it ends.
//
// spec.MaxPages counts the documents of this call: whoever continues a job takes off
// what that job has kept before. Pages that are known are visited even where they are
// more than that.
func (c *Crawler) Pages(ctx context.Context, spec knowledge.CrawlSpec) iter.Seq2[knowledge.Visited, error] {
	return func(yield func(knowledge.Visited, error) bool) {
		r, err := newRun(c, spec)
		if err != nil {
			yield(knowledge.Visited{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()
		for range c.workers {
			workers.Go(func() { r.work(ctx) })
		}
		if err := r.drive(ctx, yield); err != nil {
			yield(knowledge.Visited{}, err)
		}
	}
}

// document extracts what was fetched.
func document(kind fetch.Kind, body []byte, base *url.URL) (extract.Document, error) {
	switch kind {
	case fetch.Markdown:
		return extract.Markdown(body, base)
	case fetch.Text:
		return extract.Text(body, base)
	default:
		return extract.HTML(body, base)
	}
}
