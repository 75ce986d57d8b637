package crawl

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"footnote/knowledge"
)

// scope is the part of the web that a crawl may follow. http and https of a host are
// the same place.
type scope struct {
	kind   knowledge.Scope
	start  string // key
	host   string // with its port
	folder string // ScopeTree: begins and ends with a slash
	site   string // ScopeDomain: the registrable domain
}

// newScope bounds a crawl that starts at u. nil is the empty scope, for a refresh of
// pages that were added one by one.
func newScope(kind knowledge.Scope, u *url.URL) scope {
	if u == nil {
		return scope{kind: knowledge.ScopeExact}
	}
	if kind == "" {
		kind = knowledge.ScopeTree
	}
	return scope{kind: kind, start: Key(u), host: u.Host, folder: folder(u), site: site(u)}
}

// contains says whether an address, given with its key, lies within the scope.
func (s scope) contains(u *url.URL, key string) bool {
	switch s.kind {
	case knowledge.ScopeTree:
		return u.Host == s.host && strings.HasPrefix(u.EscapedPath(), s.folder)
	case knowledge.ScopePrefix:
		return strings.HasPrefix(withoutScheme(key), withoutScheme(s.start))
	case knowledge.ScopeDomain:
		return s.site == site(u)
	default:
		return withoutScheme(key) == withoutScheme(s.start)
	}
}

// moved is the scope of a start address that turned out to live at u: at its own
// address with a final slash, or elsewhere on its site. What already lies inside stays
// as it was asked for.
func (s scope) moved(u *url.URL) scope {
	key := Key(u)
	if s.kind != knowledge.ScopeExact && s.contains(u, key) && withoutScheme(key) != withoutScheme(s.start)+"/" {
		return s
	}
	to := newScope(s.kind, u)
	if strings.HasPrefix(to.folder, s.folder) && withoutScheme(key) != withoutScheme(s.start)+"/" {
		to.folder = s.folder // another host, the same tree
	}
	return to
}

// folder is a path up to its last slash.
func folder(u *url.URL) string {
	path := u.EscapedPath()
	return path[:strings.LastIndexByte(path, '/')+1]
}

// site is the registrable domain, or the host itself where there is none.
func site(u *url.URL) string {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if strings.Contains(host, ":") || strings.Trim(host, "0123456789.") == "" {
		return u.Host // an address: each port is its own site
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

func withoutScheme(key string) string {
	_, rest, _ := strings.Cut(key, "://")
	return rest
}

// recalled is the scope of a crawl that is continued after its start address was
// visited. Where that redirected to is not on record, but what was found from there
// is: with nothing of it in the scope as asked for, the start had moved within its site.
func (s scope) recalled(spec knowledge.CrawlSpec) scope {
	var moved *url.URL
	found := slices.Clone(spec.Done)
	for _, p := range spec.Pending {
		found = append(found, p.URL)
	}
	if slices.Contains(found, s.start+"/") {
		found = []string{s.start + "/"}
	}
	for _, key := range found {
		u, err := url.Parse(key)
		switch {
		case err != nil || key == s.start:
		case s.contains(u, key) && key != s.start+"/":
			return s
		case sameSite(s.start, u) && (moved == nil || len(key) < len(Key(moved))):
			moved = u
		}
	}
	if moved == nil {
		return s
	}
	return s.moved(moved)
}
