package crawl_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"footnote/knowledge"
	"footnote/knowledge/crawl"
	"footnote/knowledge/fetch"
	"footnote/test/siteserver"
)

// site is a server under test and a crawler that may talk to it.
type site struct {
	*siteserver.Server
	url     string // http://127.0.0.1:port
	port    string
	crawler *crawl.Crawler
}

func newSite(t testing.TB, cfg siteserver.Config) *site {
	t.Helper()
	srv, err := siteserver.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	u, err := url.Parse(ts.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Resolver: siteserver.Names(map[string]netip.Addr{
			"docs.test": netip.MustParseAddr("127.0.0.1"), "www.docs.test": netip.MustParseAddr("127.0.0.1"),
			"other.test": netip.MustParseAddr("127.0.0.1"), "private.test": netip.MustParseAddr("10.0.0.7"),
		}),
	})
	t.Cleanup(func() {
		client.CloseIdleConnections()
		ts.Close()
	})
	_, port, _ := net.SplitHostPort(u.Host)
	return &site{srv, ts.URL, port, crawl.New(crawl.Options{Client: client, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})}
}

// pages serves these bodies; a name without a leading tag becomes a small document.
func newPages(t *testing.T, cfg siteserver.Config, pages map[string]string) *site {
	t.Helper()
	s := newSite(t, cfg)
	for path, body := range pages {
		s.Set(path, []byte(body))
	}
	return s
}

// at is the address of a path under a host name.
func (s *site) at(host, path string) string { return "http://" + host + ":" + s.port + path }

// crawl runs a crawl to its end.
func (s *site) crawl(t *testing.T, spec knowledge.CrawlSpec) []knowledge.Visited {
	t.Helper()
	var out []knowledge.Visited
	for v, err := range s.crawler.Pages(t.Context(), spec) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// told writes outcomes as lines "outcome path [-> path] [code]", without the server's
// address, in the order in which they came.
func (s *site) told(visits []knowledge.Visited) []string {
	var out []string
	for _, v := range visits {
		line := string(v.Outcome) + " " + s.short(v.Requested)
		if v.URL != v.Requested {
			line += " -> " + s.short(v.URL)
		}
		if v.Err != nil && v.Outcome != knowledge.Excluded {
			line += " " + string(v.Err.Code)
		}
		out = append(out, line)
	}
	return out
}

func (s *site) short(u string) string {
	return strings.ReplaceAll(strings.TrimPrefix(u, s.url), ":"+s.port, "")
}

// requested lists what the server was asked for, in order, without robots and sitemaps.
func (s *site) requested() []string {
	var out []string
	for _, h := range s.Hits() {
		if !strings.HasSuffix(h.Path, "robots.txt") && !strings.Contains(h.Path, "sitemap") {
			out = append(out, h.Path)
		}
	}
	return out
}

// doc is a small document with links.
func doc(title string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html><head><title>%s</title></head><body><main><h1>%s</h1><p>This page explains %s in as many words as a short page of documentation needs to be one.</p>", title, title, title)
	for _, l := range links {
		fmt.Fprintf(&b, `<p>More is said elsewhere, in the chapter on <a href="%s">that</a>, which this paragraph leads to.</p>`, l)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

func kept(visits []knowledge.Visited) int {
	n := 0
	for _, v := range visits {
		if v.Outcome == knowledge.Fetched || v.Outcome == knowledge.NotModified {
			n++
		}
	}
	return n
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}
