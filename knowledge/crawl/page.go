package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"footnote/knowledge"
	"footnote/knowledge/extract"
	"footnote/knowledge/fetch"
)

// read turns a document into a result.
func (w *worker) read(ctx context.Context, u *url.URL, resp fetch.Response, res *result) {
	doc, err := w.extracted(resp, u)
	res.visited.Bytes = resp.Size
	if err != nil {
		w.log.WarnContext(ctx, "page not extracted", "url", u.String(), "error", err)
		refusal, ok := errors.AsType[*knowledge.Error](err)
		if !ok {
			refusal = &knowledge.Error{Code: knowledge.PageNotIngested, Reason: u.String() + " is too malformed to be read", Cause: err}
		}
		res.refuse(knowledge.Unfetched, refusal)
		return
	}
	if refresh := cmp.Or(doc.Refresh, refreshHeader(resp.Header, u)); refresh != "" {
		if to, key, err := resolve(u, refresh); err == nil && key != res.url {
			w.redirect(ctx, u, to, res)
			return
		}
	}
	if refusal := suspect(u, doc, resp.Body); refusal != nil {
		res.refuse(knowledge.Unfetched, refusal)
		return
	}
	ask := w.wishes(doc, resp.Header)
	if !ask.noFollow && w.spec.Scope != knowledge.ScopeExact {
		res.links = w.judge(doc.Links)
	}
	v := &res.visited
	v.Outcome = knowledge.Fetched
	v.Title, v.Lang, v.Markdown, v.Headings = doc.Title, doc.Lang, doc.Markdown, doc.Headings
	if v.Lang == "" {
		v.Lang = primaryTag(resp.Header.Get("Content-Language"))
	}
	res.digest = textDigest(v.Title, v.Markdown)
	if !res.ownName {
		res.canonical = w.canonical(u, doc)
	}
	switch {
	case ask.noIndex:
		res.exclude("%s asks not to be stored (noindex)", u)
	case strings.TrimSpace(v.Markdown) == "":
		res.exclude("%s has no text", u)
	case doc.LinkOnly && len(doc.Links) >= indexLinks:
		res.exclude("%s is only a list of links, which are followed", u)
	}
}

// textDigest is a hash of what a page says. Where its links lead is left out: copies
// of a page under many addresses differ in nothing else.
func textDigest(title, markdown string) digest {
	h := sha256.New()
	_, _ = io.WriteString(h, title) // a hash does not fail
	for {
		text, rest, ok := strings.Cut(markdown, "](")
		_, _ = io.WriteString(h, "\x00"+text)
		if !ok {
			return digest(h.Sum(nil))
		}
		if end := strings.IndexAny(rest, ")\n"); end >= 0 {
			rest = rest[end:]
		}
		markdown = rest
	}
}

// extracted keeps a page that breaks the extractor from ending the process.
func (w *worker) extracted(resp fetch.Response, u *url.URL) (doc extract.Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("extract %s: %v", u, p)
		}
	}()
	return w.extract(resp.Kind, resp.Body, u)
}

// judge gives the keys of those links that the crawl may follow.
func (w *worker) judge(links []string) []string {
	if w.scope != w.run.scope || len(w.judged) > maxRemembered {
		w.scope = w.run.scope
		clear(w.judged)
	}
	var out []string
	for _, link := range links {
		key, known := w.judged[link]
		if !known {
			if u, k, err := resolve(nil, link); err == nil && w.scope.contains(u, k) && !endless(u) {
				key = k
			}
			w.judged[link] = key
		}
		if key != "" {
			out = append(out, key)
		}
	}
	return out
}

// endless recognises paths that repeat themselves, the mark of a relative link that
// grows with each page.
func endless(u *url.URL) bool {
	const most = 3
	segments := strings.Split(u.EscapedPath(), "/")
	if len(segments) > 30 {
		return true
	}
	seen := map[string]int{}
	for _, s := range segments {
		if s == "" {
			continue
		}
		if seen[s]++; seen[s] > most {
			return true
		}
	}
	return false
}

// canonical is the key of the address that the page names as its own, when that is
// believable: on the same host, within the scope, and not every page's "home".
func (w *worker) canonical(u *url.URL, doc extract.Document) string {
	if doc.Canonical == "" {
		return ""
	}
	to, key, err := resolve(u, doc.Canonical)
	own := Key(u)
	if err != nil || key == own || to.Host != u.Host || !w.run.scope.contains(to, key) {
		return ""
	}
	home := to.RequestURI() == "/" || key == w.run.scope.start
	if home && !variants(key, own) {
		return ""
	}
	return key
}

// asks are what a page wants from crawlers.
type asks struct{ noIndex, noFollow bool }

// wishes reads the page's own robots directives, which an admin's override of robots
// covers too.
func (w *worker) wishes(doc extract.Document, h http.Header) asks {
	if !w.spec.Robots {
		return asks{}
	}
	out := asks{doc.NoIndex, doc.NoFollow}
	for _, line := range h.Values("X-Robots-Tag") {
		ours := true
		for directive := range strings.SplitSeq(strings.ToLower(line), ",") {
			directive = strings.TrimSpace(directive)
			// "bot: noindex, nofollow" speaks to one bot; "unavailable_after: date" to all.
			if agent, rest, ok := strings.Cut(directive, ":"); ok && !strings.HasPrefix(agent, "unavailable") && !strings.HasPrefix(agent, "max-") {
				ours = strings.TrimSpace(agent) == strings.ToLower(fetch.Token)
				directive = strings.TrimSpace(rest)
			}
			if ours {
				out.noIndex = out.noIndex || directive == "noindex" || directive == "none"
				out.noFollow = out.noFollow || directive == "nofollow" || directive == "none"
			}
		}
	}
	return out
}

// refreshHeader is the target of a Refresh header that acts within a few seconds.
func refreshHeader(h http.Header, u *url.URL) string {
	wait, to, ok := strings.Cut(h.Get("Refresh"), ";")
	if !ok || len(strings.TrimSpace(wait)) != 1 {
		return ""
	}
	_, to, ok = strings.Cut(to, "=")
	if !ok {
		return ""
	}
	target, err := fetch.Parse(u, strings.Trim(to, ` "'`))
	if err != nil {
		return ""
	}
	return target.String()
}

func primaryTag(lang string) string {
	tag, _, _ := strings.Cut(lang, ",")
	tag, _, _ = strings.Cut(strings.TrimSpace(tag), "-")
	return strings.ToLower(tag)
}

// exclude keeps a document out of the library; its links are followed.
func (res *result) exclude(reason string, u *url.URL) {
	res.refuse(knowledge.Excluded, knowledge.Refuse(knowledge.PageNotIngested, reason, u))
	res.canonical = ""
	empty(&res.visited)
}
