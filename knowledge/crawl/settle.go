package crawl

import (
	"context"
	"net/url"
	"slices"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
)

// settle decides what a result means for the crawl and completes the outcome. It is
// false when there is nothing to say yet: the address will be tried again.
func (r *run) settle(ctx context.Context, res result) (knowledge.Visited, bool) {
	if res.retry > 0 {
		again := res.item
		again.attempts++
		again.notBefore = time.Now().Add(res.retry)
		r.frontier.later(again)
		return knowledge.Visited{}, false
	}
	moving := res.target != nil && r.land(&res) && res.start
	if res.canonical != "" {
		r.giveWay(&res)
	}
	r.fold(&res)
	v := &res.visited
	at := r.frontier.known[res.url]
	switch v.Outcome {
	case knowledge.Fetched, knowledge.NotModified:
		at.standing = kept
		r.kept++
	case knowledge.Redirected:
		at.standing = led
	default:
		at.standing = fruitless
		r.frontier.restore(at)
	}
	if r.starting && !moving {
		v.Found = append(v.Found, r.leaveStart(ctx)...)
	}
	v.Found = append(v.Found, r.follow(res)...)
	v.Discovered = len(r.frontier.known)
	return *v, true
}

// land handles a redirect: its target is visited under its own name, if it may be. It
// tells whether that is still to come.
func (r *run) land(res *result) bool {
	key := Key(res.target)
	v := &res.visited
	refuse := func(outcome knowledge.Outcome, err *knowledge.Error) { v.Outcome, v.Err = outcome, err }
	switch {
	case key == res.url || slices.Contains(res.hops, key):
		refuse(knowledge.Unfetched, &knowledge.Error{Code: knowledge.ConnectError, Reason: res.url + " redirects in a circle", Cause: fetch.ErrRedirects})
		return false
	case len(res.hops) >= fetch.MaxRedirects:
		refuse(knowledge.Unfetched, &knowledge.Error{Code: knowledge.ConnectError, Reason: res.url + " is one redirect too many", Cause: fetch.ErrRedirects})
		return false
	case !r.mayLand(res, key):
		refuse(knowledge.Skipped, knowledge.Refuse(knowledge.PageNotIngested,
			"%s redirects to %s, which is outside of what this crawl may read; start from there to read it", res.url, key))
		return false
	}
	if res.start {
		r.scope = r.scope.moved(res.target)
	}
	v.Outcome, v.URL = knowledge.Redirected, key
	at := r.frontier.known[key]
	if at == nil {
		next := item{url: key, depth: res.depth, start: res.start, seed: res.seed, ownName: res.ownName, hops: append(slices.Clone(res.hops), res.url)}
		if !r.frontier.add(next) {
			return false
		}
		v.Found = append(v.Found, knowledge.Pending{URL: key, Depth: res.depth})
		r.frontier.passOn(res.url, key)
		return true
	}
	r.frontier.passOn(res.url, key)
	return false
}

// mayLand says whether a redirect's target is within the scope; a page that the crawl
// was sent to may have moved within its site.
func (r *run) mayLand(res *result, key string) bool {
	return r.scope.contains(res.target, key) || res.seed && sameSite(res.url, res.target)
}

// giveWay leaves a page to the address that it names as its canonical, unless that is
// known to hold nothing.
func (r *run) giveWay(res *result) {
	at := r.frontier.known[res.canonical]
	if at != nil && (at.standing == fruitless || at.standing == led) {
		return
	}
	v := &res.visited
	if at == nil {
		if !r.frontier.add(item{url: res.canonical, depth: res.depth}) {
			return
		}
		v.Found = append(v.Found, knowledge.Pending{URL: res.canonical, Depth: res.depth})
		at = r.frontier.known[res.canonical]
	}
	if at.standing == queued && at.alias == "" {
		at.alias = res.url
	}
	v.Outcome, v.URL, v.Err = knowledge.Redirected, res.canonical, nil
	empty(v)
}

// fold recognises a page that stands under another address already: the same content,
// or, where the other answered 304, the same validator at a variant of the address.
// Links of such a copy are not followed: there lie the endless ones.
func (r *run) fold(res *result) {
	v := &res.visited
	switch v.Outcome {
	case knowledge.NotModified:
		if len(v.ETag) > 2 {
			r.etags[v.ETag] = res.url
		}
	case knowledge.Fetched:
		first, ok := r.content[res.digest]
		if !ok {
			if first, ok = r.etags[v.ETag]; ok {
				ok = variants(first, res.url)
			}
		}
		if ok {
			v.Outcome, v.URL = knowledge.Redirected, first
			res.links = nil
			empty(v)
			return
		}
		r.content[res.digest] = res.url
	}
}

// leaveStart goes on once the start address is dealt with: what is on record, then
// sitemaps, so that a refresh spends its number on the pages it has before it takes new
// ones. It gives what is new.
func (r *run) leaveStart(ctx context.Context) []knowledge.Pending {
	var listed []string
	if r.spec.Scope != knowledge.ScopeExact && len(r.spec.Done) == 0 {
		listed = r.discover(ctx)
	}
	r.seed()
	var found []knowledge.Pending
	for _, key := range listed {
		if r.frontier.add(item{url: key, depth: 1}) {
			found = append(found, knowledge.Pending{URL: key, Depth: 1})
		}
	}
	return found
}

// follow queues the links of a page and gives those that are new.
func (r *run) follow(res result) []knowledge.Pending {
	if res.depth >= r.spec.MaxDepth {
		return nil
	}
	var found []knowledge.Pending
	for _, key := range res.links {
		if r.frontier.add(item{url: key, depth: res.depth + 1}) {
			found = append(found, knowledge.Pending{URL: key, Depth: res.depth + 1})
		}
	}
	return found
}

// empty drops a document that will not be stored.
func empty(v *knowledge.Visited) { v.Title, v.Lang, v.Markdown, v.Headings = "", "", "", nil }

func sameSite(key string, u *url.URL) bool {
	from, err := url.Parse(key)
	return err == nil && site(from) == site(u)
}
