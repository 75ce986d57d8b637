package crawl

import (
	"net/url"
	"slices"
	"strings"

	"footnote/knowledge/fetch"
)

// Key is the one spelling under which a page is known: no fragment (except the routes
// of one-page applications, #/ and #!), query parameters sorted, those that only track
// a visitor dropped, escapes normalised. Two addresses with one key are one page. What
// only might be the same (a trailing slash, index.html) stays apart here and is folded
// by evidence: a redirect, a canonical link or the same content.
func Key(u *url.URL) string {
	var b strings.Builder
	b.WriteString(u.Scheme)
	b.WriteString("://")
	b.WriteString(u.Host)
	path := normalEscapes(u.EscapedPath())
	if path == "" {
		path = "/"
	}
	b.WriteString(withoutSession(path))
	if q := sortedQuery(u.RawQuery); q != "" {
		b.WriteByte('?')
		b.WriteString(q)
	}
	if strings.HasPrefix(u.Fragment, "/") || strings.HasPrefix(u.Fragment, "!") {
		b.WriteByte('#')
		b.WriteString(u.EscapedFragment())
	}
	return b.String()
}

// resolve is fetch.Parse followed by Key.
func resolve(base *url.URL, ref string) (*url.URL, string, error) {
	u, err := fetch.Parse(base, ref)
	if err != nil {
		return nil, "", err
	}
	key := Key(u)
	u, err = url.Parse(key)
	return u, key, err
}

// withoutSession drops a servlet session from a path ("/a;jsessionid=1" is "/a").
func withoutSession(path string) string {
	for {
		i := strings.Index(strings.ToLower(path), ";jsessionid=")
		if i < 0 || strings.HasSuffix(path[:i], "/.") || strings.HasSuffix(path[:i], "/..") {
			return path // the rest would be a dot segment, which means something else
		}
		end := strings.IndexByte(path[i:], '/')
		if end < 0 {
			return path[:i]
		}
		path = path[:i] + path[i+end:]
	}
}

func sortedQuery(raw string) string {
	if raw == "" {
		return ""
	}
	raw = normalEscapes(raw)
	if !strings.Contains(raw, "&") {
		if tracks(raw) {
			return ""
		}
		return raw
	}
	pairs := slices.DeleteFunc(strings.Split(raw, "&"), func(p string) bool { return p == "" || tracks(p) })
	slices.SortStableFunc(pairs, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return strings.Join(pairs, "&")
}

func name(pair string) string {
	n, _, _ := strings.Cut(pair, "=")
	return n
}

// tracks says that a parameter follows the visitor and never chooses the page.
func tracks(pair string) bool {
	n := strings.ToLower(name(pair))
	switch n {
	case "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "igshid", "twclid", "ttclid",
		"mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi", "mkt_tok", "phpsessid", "jsessionid":
		return true
	}
	return strings.HasPrefix(n, "utm_")
}

// variants says that two addresses differ only in what servers often do not tell
// apart: a final slash, an index page, the .html ending, http or https.
func variants(a, b string) bool { return bare(a) == bare(b) }

func bare(key string) string {
	_, rest, _ := strings.Cut(key, "://")
	rest, query, _ := strings.Cut(rest, "?")
	for _, end := range []string{".html", ".htm", ".php", "/index", "/"} {
		rest = strings.TrimSuffix(rest, end)
	}
	return rest + "?" + query
}
