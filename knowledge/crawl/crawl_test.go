package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/knowledge/crawl"
	"footnote/test/siteserver"
)

// manual is a small tree: an index, three chapters with two sections each.
func manual(t *testing.T, cfg siteserver.Config) *site {
	s := newSite(t, cfg)
	fill(s)
	return s
}

func fill(s *site) {
	pages := map[string]string{"/docs/": doc("Manual", "one.html", "two.html", "three.html", "/blog/")}
	for _, ch := range []string{"one", "two", "three"} {
		pages["/docs/"+ch+".html"] = doc("Chapter "+ch, ch+"-a.html", ch+"-b.html", "./")
		pages["/docs/"+ch+"-a.html"] = doc("Section a of " + ch)
		pages["/docs/"+ch+"-b.html"] = doc("Section b of "+ch, "one.html")
	}
	for path, body := range pages {
		s.Set(path, []byte(body))
	}
}

func (s *site) docs() knowledge.CrawlSpec {
	return knowledge.CrawlSpec{Start: s.url + "/docs/", Scope: knowledge.ScopeTree, Robots: true, MaxPages: 100, MaxDepth: 10}
}

func TestBreadthFirstInOrder(t *testing.T) {
	s := manual(t, siteserver.Config{})
	got := s.crawl(t, s.docs())
	want := []string{
		"fetched /docs/",
		"fetched /docs/one.html", "fetched /docs/two.html", "fetched /docs/three.html",
		"fetched /docs/one-a.html", "fetched /docs/one-b.html",
		"fetched /docs/two-a.html", "fetched /docs/two-b.html",
		"fetched /docs/three-a.html", "fetched /docs/three-b.html",
	}
	if d := cmp.Diff(want, s.told(got)); d != "" {
		t.Error("(-want +got):", d)
	}
	v := got[1]
	if v.Title != "Chapter one" || !strings.Contains(v.Markdown, "# Chapter one") || v.Depth != 1 || v.Bytes == 0 || v.ETag == "" || v.At.IsZero() {
		t.Errorf("visit is %+v", v)
	}
	found := []knowledge.Pending{{URL: s.url + "/docs/one-a.html", Depth: 2}, {URL: s.url + "/docs/one-b.html", Depth: 2}}
	if d := cmp.Diff(found, v.Found); d != "" {
		t.Error("found (-want +got):", d)
	}
	if v.Discovered != 6 || got[9].Discovered != 10 {
		t.Errorf("discovered %d, then %d", v.Discovered, got[9].Discovered)
	}
	if d := cmp.Diff(10, len(s.requested())); d != "" {
		t.Error("requests:", d)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name               string
		change             func(*knowledge.CrawlSpec)
		kept, visits, know int
	}{
		{"pages", func(s *knowledge.CrawlSpec) { s.MaxPages = 5 }, 5, 5, 10},
		{"one page", func(s *knowledge.CrawlSpec) { s.MaxPages = 1 }, 1, 1, 4},
		{"more than there are", func(s *knowledge.CrawlSpec) { s.MaxPages = 11 }, 10, 10, 10},
		{"exactly as many", func(s *knowledge.CrawlSpec) { s.MaxPages = 10 }, 10, 10, 10},
		{"depth", func(s *knowledge.CrawlSpec) { s.MaxDepth = 1 }, 4, 4, 4},
		{"exact", func(s *knowledge.CrawlSpec) { s.Scope = knowledge.ScopeExact }, 1, 1, 1},
		{"prefix", func(s *knowledge.CrawlSpec) { s.Scope, s.Start = knowledge.ScopePrefix, s.Start+"one" }, 4, 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := manual(t, siteserver.Config{})
			s.Set("/docs/one", []byte(doc("One", "one-a.html", "one-b.html", "two.html")))
			spec := s.docs()
			c.change(&spec)
			got := s.crawl(t, spec)
			if n := got[len(got)-1].Discovered; kept(got) != c.kept || len(got) != c.visits || n != c.know {
				t.Errorf("kept %d of %d visits, knew %d; want %d, %d, %d", kept(got), len(got), n, c.kept, c.visits, c.know)
			}
			if n := len(s.requested()); n != c.visits {
				t.Errorf("%d requests for %d visits: something was fetched for nothing", n, c.visits)
			}
		})
	}
}

// TestLimitCountsDocuments has failures, exclusions and redirects between documents.
func TestLimitCountsDocuments(t *testing.T) {
	s := newPages(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/moved.html$", Location: "/docs/d.html"}, {Match: "^/docs/x", Status: 403}}}, map[string]string{
		"/docs/":       doc("Start", "404.html", "x.html", "n.html", "moved.html", "a.html", "b.html", "c.html"),
		"/docs/n.html": `<meta name="robots" content="noindex">` + doc("Hidden"),
		"/docs/a.html": doc("A"), "/docs/b.html": doc("B"), "/docs/c.html": doc("C"), "/docs/d.html": doc("D"),
	})
	spec := s.docs()
	spec.MaxPages = 3
	want := []string{
		"fetched /docs/", "gone /docs/404.html not_found", "failed /docs/x.html page_not_ingested", "excluded /docs/n.html",
		"redirect /docs/moved.html -> /docs/d.html", "fetched /docs/a.html", "fetched /docs/b.html",
	}
	if d := cmp.Diff(want, s.told(s.crawl(t, spec))); d != "" {
		t.Error("(-want +got):", d)
	}
}

func TestSameCrawlEveryTime(t *testing.T) {
	s := manual(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "one|three-a", DelayMS: 3}}})
	spec := s.docs()
	spec.MaxPages = 6
	first := s.told(s.crawl(t, spec))
	for range 5 {
		if d := cmp.Diff(first, s.told(s.crawl(t, spec))); d != "" {
			t.Fatal("another crawl of the same site (-first +now):", d)
		}
	}
}

func TestEndsWithTheLoop(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(context.Context, context.CancelFunc, *site) error
	}{
		{"broken off", func(ctx context.Context, _ context.CancelFunc, s *site) error {
			for _, err := range s.crawler.Pages(ctx, s.docs()) {
				return err
			}
			return nil
		}},
		{"cancelled", func(ctx context.Context, cancel context.CancelFunc, s *site) error {
			last := error(nil)
			for _, err := range s.crawler.Pages(ctx, s.docs()) {
				cancel()
				last = err
			}
			if !errors.Is(last, context.Canceled) {
				return fmt.Errorf("last error is %w", last)
			}
			return nil
		}},
		{"cancelled while a page hangs", func(ctx context.Context, cancel context.CancelFunc, s *site) error {
			spec := s.docs()
			spec.Start = s.url + "/__case/slow-headers"
			go func() {
				for len(s.Hits()) == 0 { // robots.txt
					runtime.Gosched()
				}
				cancel()
			}()
			for _, err := range s.crawler.Pages(ctx, spec) {
				if !errors.Is(err, context.Canceled) {
					return fmt.Errorf("error is %w", err)
				}
			}
			return nil
		}},
		{"cancelled while it waits its turn", func(ctx context.Context, cancel context.CancelFunc, s *site) error {
			spec := s.docs()
			spec.Delay = time.Hour
			go func() {
				for len(s.Hits()) == 0 {
					runtime.Gosched()
				}
				cancel()
			}()
			for _, err := range s.crawler.Pages(ctx, spec) {
				if !errors.Is(err, context.Canceled) {
					return fmt.Errorf("error is %w", err)
				}
			}
			return nil
		}},
		{"a panic of the consumer", func(ctx context.Context, _ context.CancelFunc, s *site) (err error) {
			defer func() {
				if recover() == nil {
					err = errors.New("the panic was swallowed")
				}
			}()
			for _, err := range s.crawler.Pages(ctx, s.docs()) {
				panic(err)
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := manual(t, siteserver.Config{Cases: true})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if err := c.run(ctx, cancel, s); err != nil {
				t.Error(err)
			}
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if strings.Contains(string(stacks), "crawl.(*run).work") {
				t.Error("a worker is left running")
			}
		})
	}
}

func TestSitemaps(t *testing.T) {
	list := func(paths ...string) string {
		var b strings.Builder
		b.WriteString("<urlset>")
		for _, p := range paths {
			fmt.Fprintf(&b, "<url><loc>%s</loc></url>", p)
		}
		return b.String() + "</urlset>"
	}
	pages := map[string]string{"/docs/": doc("Start", "linked.html"), "/docs/linked.html": doc("Linked"), "/docs/a.html": doc("A"), "/docs/b.html": doc("B"), "/blog/c.html": doc("C")}
	inOrder := []string{"fetched /docs/", "fetched /docs/b.html", "fetched /docs/a.html", "fetched /docs/linked.html"}
	for _, c := range []struct {
		name   string
		robots string
		files  map[string]string
		want   []string
	}{
		{"from robots.txt", "Sitemap: {base}/maps/own.xml", map[string]string{"/maps/own.xml": list("/docs/b.html", "/docs/a.html", "/blog/c.html", "http://other.test/docs/x"), "/sitemap.xml": list("/docs/ignored.html")}, inOrder},
		{"relative in robots.txt", "Sitemap: /maps/own.xml", map[string]string{"/maps/own.xml": list("/docs/b.html", "/docs/a.html")}, inOrder},
		{"guessed", "", map[string]string{"/sitemap.xml": list("/docs/b.html", "/docs/a.html", "/docs/b.html#x")}, inOrder},
		{"index", "", map[string]string{
			"/sitemap_index.xml": "<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap><sitemap><loc>/s2.xml</loc></sitemap><sitemap><loc>/sitemap_index.xml</loc></sitemap><sitemap><loc>http://other.test/s.xml</loc></sitemap></sitemapindex>",
			"/s1.xml":            list("/docs/b.html"), "/s2.xml": list("/docs/a.html"),
		}, inOrder},
		{"of the docs", "", map[string]string{"/docs/sitemap.xml": list("b.html", "a.html")}, inOrder},
		{"one that robots.txt forbids", "User-agent: *\nDisallow: /maps/\nSitemap: /maps/own.xml", map[string]string{"/maps/own.xml": list("/docs/b.html")}, []string{"fetched /docs/", "fetched /docs/linked.html"}},
		{
			"pages that robots.txt forbids", "User-agent: *\nDisallow: /docs/a",
			map[string]string{"/sitemap.xml": list("/docs/b.html", "/docs/a.html")},
			[]string{"fetched /docs/", "fetched /docs/b.html", "skipped /docs/a.html robots_disallowed", "fetched /docs/linked.html"},
		},
		{"a sitemap that is a page", "", map[string]string{"/sitemap.xml": doc("Not found")}, []string{"fetched /docs/", "fetched /docs/linked.html"}},
		{"private addresses", "Sitemap: http://private.test/s.xml\nSitemap: http://169.254.169.254/s.xml", map[string]string{"/sitemap.xml": list("http://10.0.0.1/docs/")}, []string{"fetched /docs/", "fetched /docs/linked.html"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newPages(t, siteserver.Config{Robots: c.robots}, pages)
			for path, body := range c.files {
				s.Set(path, []byte(body))
			}
			got := s.crawl(t, s.docs())
			if d := cmp.Diff(c.want, s.told(got)); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
}

func TestSitemapIsOnRecord(t *testing.T) {
	s := newPages(t, siteserver.Config{}, map[string]string{"/docs/": doc("Start"), "/docs/a": doc("A"), "/sitemap.xml": "<urlset><url><loc>/docs/a</loc></url></urlset>"})
	got := s.crawl(t, s.docs())
	if d := cmp.Diff([]knowledge.Pending{{URL: s.url + "/docs/a", Depth: 1}}, got[0].Found); d != "" {
		t.Error("found with the first page (-want +got):", d)
	}
}

func TestAdmit(t *testing.T) {
	s := manual(t, siteserver.Config{Robots: "User-agent: *\nDisallow: /secret/\n", Rules: []siteserver.Rule{}})
	broken := newSite(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/robots.txt", Status: 503}}})
	for _, c := range []struct {
		name string
		spec knowledge.CrawlSpec
		code knowledge.Code
		says string
	}{
		{"fine", knowledge.CrawlSpec{Start: s.url + "/docs/", Robots: true}, "", ""},
		{"no seed", knowledge.CrawlSpec{Robots: true}, knowledge.NoSeed, "begin"},
		{"known pages alone", knowledge.CrawlSpec{Known: map[string]knowledge.Visit{s.url + "/docs/": {}}}, "", ""},
		{"no such scope", knowledge.CrawlSpec{Start: s.url + "/docs/", Scope: "galaxy"}, knowledge.InvalidRequest, "galaxy"},
		{"script", knowledge.CrawlSpec{Start: "javascript:alert(1)"}, knowledge.InvalidURL, "javascript"},
		{"credentials", knowledge.CrawlSpec{Start: "http://a:b@127.0.0.1/"}, knowledge.InvalidURL, "password"},
		{"private address", knowledge.CrawlSpec{Start: "http://10.0.0.1/"}, knowledge.SecurityBlocked, "crawl.allow_private"},
		{"private address in disguise", knowledge.CrawlSpec{Start: "http://0xa9fea9fe/"}, knowledge.SecurityBlocked, "169.254.169.254"},
		{"name of a private address", knowledge.CrawlSpec{Start: "http://private.test/"}, knowledge.SecurityBlocked, "10.0.0.7"},
		{"unknown name", knowledge.CrawlSpec{Start: "http://unknown.test/"}, knowledge.ConnectError, "unknown.test"},
		{"disallowed", knowledge.CrawlSpec{Start: s.url + "/secret/x?y", Robots: true}, knowledge.RobotsDisallowed, "/secret/x?y"},
		{"disallowed, overridden", knowledge.CrawlSpec{Start: s.url + "/secret/x"}, "", ""},
		{"robots.txt in trouble", knowledge.CrawlSpec{Start: broken.url + "/", Robots: true}, knowledge.RobotsDisallowed, "robots.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.crawler.Admit(t.Context(), c.spec)
			if knowledge.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want code %q with %q", err, c.code, c.says)
			}
		})
	}
}

// TestExtractorTrouble has a page that breaks the extractor: the page fails, the crawl
// goes on.
func TestExtractorTrouble(t *testing.T) {
	s := manual(t, siteserver.Config{})
	crawl.Break(s.crawler, "Chapter two")
	got := s.told(s.crawl(t, s.docs()))
	if !slices.Contains(got, "failed /docs/two.html page_not_ingested") || !slices.Contains(got, "fetched /docs/three.html") {
		t.Errorf("got %v", got)
	}
}

// TestSitemapRedirect has a sitemap that leads to where robots.txt forbids to go.
func TestSitemapRedirect(t *testing.T) {
	s := newPages(t, siteserver.Config{
		Robots: "User-agent: *\nDisallow: /secret/\n",
		Rules:  []siteserver.Rule{{Match: "^/sitemap.xml", Location: "/secret/map.xml"}},
	}, map[string]string{"/docs/": doc("Start"), "/docs/a": doc("A"), "/secret/map.xml": "<urlset><url><loc>/docs/a</loc></url></urlset>"})
	s.crawl(t, s.docs())
	for _, h := range s.Hits() {
		if strings.HasPrefix(h.Path, "/secret/") {
			t.Errorf("%s was fetched although robots.txt forbids it", h.Path)
		}
	}
}
