package crawl_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/test/siteserver"
)

// TestBugs has the failures that other crawlers' users reported, each as a site and
// what must come of it. The numbers are those of our list of them.
func TestBugs(t *testing.T) {
	for _, c := range []struct {
		name  string
		cfg   siteserver.Config
		pages map[string]string
		spec  func(*site, *knowledge.CrawlSpec)
		want  []string
	}{
		{
			name:  "1 relative link beside the page's file",
			pages: map[string]string{"/start.html": doc("Start", "impressum.html"), "/impressum.html": doc("Impressum")},
			spec:  from("/start.html"),
			want:  []string{"fetched /start.html", "fetched /impressum.html"},
		},
		{
			name:  "2 parent folder of a folder",
			pages: map[string]string{"/core/quickstart/": doc("Quick", "../docker-deployment"), "/core/docker-deployment": doc("Docker")},
			spec: func(s *site, spec *knowledge.CrawlSpec) {
				spec.Start, spec.Scope = s.url+"/core/quickstart/", knowledge.ScopeDomain
			},
			want: []string{"fetched /core/quickstart/", "fetched /core/docker-deployment"},
		},
		{
			name:  "1, 2 links of a redirected page are relative to where it ended",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/old$", Location: "/docs/new/page"}}},
			pages: map[string]string{"/docs/": doc("Start", "old"), "/docs/new/page": doc("New", "next"), "/docs/new/next": doc("Next")},
			want:  []string{"fetched /docs/", "redirect /docs/old -> /docs/new/page", "fetched /docs/new/page", "fetched /docs/new/next"},
		},
		{
			name:  "4 scope sees the resolved address",
			pages: map[string]string{"/docs/": doc("Start", "a", "./b", "/docs/c", "//other.test/docs/d", "../blog"), "/docs/a": doc("A"), "/docs/b": doc("B"), "/docs/c": doc("C")},
			want:  []string{"fetched /docs/", "fetched /docs/a", "fetched /docs/b", "fetched /docs/c"},
		},
		{
			name:  "6 page with and without slash, same content",
			pages: map[string]string{"/docs/": doc("Start", "page", "page/", "index.html"), "/docs/index.html": doc("Start", "page", "page/", "index.html"), "/docs/page": doc("Page"), "/docs/page/": doc("Page")},
			want:  []string{"fetched /docs/", "fetched /docs/page", "redirect /docs/page/ -> /docs/page", "redirect /docs/index.html -> /docs/"},
		},
		{
			name:  "6 page with and without slash, other content",
			pages: map[string]string{"/docs/": doc("Start", "page", "page/"), "/docs/page": doc("Page"), "/docs/page/": doc("Pages")},
			want:  []string{"fetched /docs/", "fetched /docs/page", "fetched /docs/page/"},
		},
		{
			name:  "7 canonical of the same host",
			pages: map[string]string{"/docs/": doc("Start", "x.html"), "/docs/x.html": `<link rel="canonical" href="x">` + doc("X html"), "/docs/x": `<link rel="canonical" href="/docs/x">` + doc("X", "y"), "/docs/y": doc("Y")},
			want:  []string{"fetched /docs/", "redirect /docs/x.html -> /docs/x", "fetched /docs/x", "fetched /docs/y"},
		},
		{
			name:  "7 canonical that does not exist",
			pages: map[string]string{"/docs/": doc("Start", "x.html"), "/docs/x.html": `<link rel="canonical" href="/docs/nowhere">` + doc("X html")},
			want:  []string{"fetched /docs/", "redirect /docs/x.html -> /docs/nowhere", "gone /docs/nowhere not_found", "fetched /docs/x.html"},
		},
		{
			name:  "7 canonical that sends back",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/x$", Location: "/docs/x/"}}},
			pages: map[string]string{"/docs/": doc("Start", "x/"), "/docs/x/": `<link rel="canonical" href="/docs/x">` + doc("X")},
			want:  []string{"fetched /docs/", "redirect /docs/x/ -> /docs/x", "redirect /docs/x -> /docs/x/", "fetched /docs/x/"},
		},
		{
			name:  "7 canonical that redirects to nothing",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/x$", Location: "/docs/y"}}},
			pages: map[string]string{"/docs/": doc("Start", "x/"), "/docs/x/": `<link rel="canonical" href="/docs/x">` + doc("X")},
			want:  []string{"fetched /docs/", "redirect /docs/x/ -> /docs/x", "redirect /docs/x -> /docs/y", "gone /docs/y not_found", "fetched /docs/x/"},
		},
		{
			name:  "7 canonical that redirects to what was gone already",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/x$", Location: "/docs/y"}}},
			pages: map[string]string{"/docs/": doc("Start", "y", "x/"), "/docs/x/": `<link rel="canonical" href="/docs/x">` + doc("X")},
			want:  []string{"fetched /docs/", "gone /docs/y not_found", "redirect /docs/x/ -> /docs/x", "redirect /docs/x -> /docs/y", "fetched /docs/x/"},
		},
		{
			name:  "7 every page's canonical is the home page",
			pages: map[string]string{"/": doc("Home", "a", "b"), "/a": `<link rel="canonical" href="/">` + doc("A"), "/b": `<link rel="canonical" href="/">` + doc("B")},
			spec:  from("/"),
			want:  []string{"fetched /", "fetched /a", "fetched /b"},
		},
		{
			name:  "7 canonical of another host",
			pages: map[string]string{"/docs/": `<link rel="canonical" href="https://docs.example/x">` + doc("Start")},
			want:  []string{"fetched /docs/"},
		},
		{
			name:  "9 redirect out of scope",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/out$", Location: "http://other.test/docs/"}, {Match: "^/docs/up$", Location: "/blog/"}}},
			pages: map[string]string{"/docs/": doc("Start", "out", "up"), "/blog/": doc("Blog", "/docs/trap"), "/docs/trap": doc("Trap")},
			want:  []string{"fetched /docs/", "skipped /docs/out page_not_ingested", "skipped /docs/up page_not_ingested"},
		},
		{
			name:  "10 fragments are one page",
			pages: map[string]string{"/docs/": doc("Start", "#a", "./#b", "x#1", "x#2", "x"), "/docs/x": doc("X", "#3", "/docs/#top")},
			want:  []string{"fetched /docs/", "fetched /docs/x"},
		},
		{
			name:  "11 redirect to a page that is linked too",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/old[12]$", Location: "/docs/new"}}},
			pages: map[string]string{"/docs/": doc("Start", "old1", "new", "old2"), "/docs/new": doc("New")},
			want:  []string{"fetched /docs/", "redirect /docs/old1 -> /docs/new", "fetched /docs/new", "redirect /docs/old2 -> /docs/new"},
		},
		{
			name:  "31 noindex and nofollow, by the page and by the header",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/header", Header: map[string]string{"X-Robots-Tag": "noindex, nofollow"}}, {Match: "^/docs/other", Header: map[string]string{"X-Robots-Tag": "googlebot: noindex, nofollow"}}, {Match: "^/docs/ours", Header: map[string]string{"X-Robots-Tag": "footnotebot: none"}}}},
			pages: map[string]string{"/docs/": doc("Start", "noindex", "nofollow", "header", "other", "ours"), "/docs/noindex": `<meta name="robots" content="noindex">` + doc("N", "a"), "/docs/nofollow": `<meta name="robots" content="nofollow">` + doc("F", "trap"), "/docs/header": doc("H", "trap"), "/docs/other": doc("O", "b"), "/docs/ours": doc("U", "trap"), "/docs/a": doc("A"), "/docs/b": doc("B"), "/docs/trap": doc("Trap")},
			want:  []string{"fetched /docs/", "excluded /docs/noindex", "fetched /docs/nofollow", "excluded /docs/header", "fetched /docs/other", "excluded /docs/ours", "fetched /docs/a", "fetched /docs/b"},
		},
		{
			name:  "31 overridden",
			cfg:   siteserver.Config{Robots: "User-agent: *\nDisallow: /"},
			pages: map[string]string{"/docs/": `<meta name="robots" content="noindex, nofollow">` + doc("Start", "a"), "/docs/a": doc("A")},
			spec:  func(_ *site, spec *knowledge.CrawlSpec) { spec.Robots = false },
			want:  []string{"fetched /docs/", "fetched /docs/a"},
		},
		{
			name:  "32, 33 redirects to where nobody may go",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/meta$", Location: "http://169.254.169.254/latest/"}, {Match: "^/docs/name$", Location: "http://private.test/docs/"}, {Match: "^/docs/v6$", Location: "http://[::ffff:10.0.0.1]/"}}},
			pages: map[string]string{"/docs/": doc("Start", "meta", "name", "v6", "http://10.0.0.1/docs/x")},
			want:  []string{"fetched /docs/", "failed /docs/meta security_blocked", "failed /docs/name security_blocked", "failed /docs/v6 security_blocked"},
		},
		{
			name:  "38 error pages are neither stored nor followed",
			cfg:   siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/404", Status: 404, Body: doc("E", "trap")}, {Match: "^/docs/403", Status: 403, Body: doc("E", "trap")}, {Match: "^/docs/400", Status: 400, Body: doc("E", "trap")}, {Match: "^/docs/410", Status: 410, Body: doc("E", "trap")}}},
			pages: map[string]string{"/docs/": doc("Start", "404", "403", "400", "410"), "/docs/trap": doc("Trap")},
			want:  []string{"fetched /docs/", "gone /docs/404 not_found", "failed /docs/403 page_not_ingested", "failed /docs/400 page_not_ingested", "gone /docs/410 not_found"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newPages(t, c.cfg, c.pages)
			spec := s.docs()
			if c.spec != nil {
				c.spec(s, &spec)
			}
			if d := cmp.Diff(c.want, s.told(s.crawl(t, spec))); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
}

func from(path string) func(*site, *knowledge.CrawlSpec) {
	return func(s *site, spec *knowledge.CrawlSpec) { spec.Start = s.url + path }
}

// TestOptionsAreTheCrawls is bug 15: a second crawl of the same site with another scope
// is another crawl, not what is left of the first.
func TestOptionsAreTheCrawls(t *testing.T) {
	s := manual(t, siteserver.Config{})
	s.Set("/blog/", []byte(doc("Blog")))
	if n := kept(s.crawl(t, s.docs())); n != 10 {
		t.Errorf("tree kept %d", n)
	}
	spec := s.docs()
	spec.Scope = knowledge.ScopeDomain
	if n := kept(s.crawl(t, spec)); n != 11 {
		t.Errorf("domain kept %d", n)
	}
}

// TestStartMoves has start addresses that redirect within their site: the crawl goes
// on from there.
func TestStartMoves(t *testing.T) {
	rules := []siteserver.Rule{{Match: "^/docs$", Location: "/docs/"}, {Match: "^/out$", Location: "http://other.test/"}, {Match: "^/loop-a$", Location: "/loop-b"}, {Match: "^/loop-b$", Location: "/loop-a"}}
	for _, c := range []struct {
		name, start string
		scope       knowledge.Scope
		want        []string
	}{
		{"to its own folder", "/docs", knowledge.ScopeTree, []string{"redirect /docs -> /docs/", "fetched /docs/", "fetched /docs/a"}},
		{"a page by itself", "/docs", knowledge.ScopeExact, []string{"redirect /docs -> /docs/", "fetched /docs/"}},
		{"to another site", "/out", knowledge.ScopeTree, []string{"skipped /out page_not_ingested"}},
		{"in a circle", "/loop-a", knowledge.ScopeTree, []string{"redirect /loop-a -> /loop-b", "failed /loop-b connect_error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newPages(t, siteserver.Config{Rules: rules}, map[string]string{"/docs/": doc("Start", "a", "/blog"), "/docs/a": doc("A"), "/blog": doc("Blog")})
			spec := s.docs()
			spec.Start, spec.Scope = s.url+c.start, c.scope
			if d := cmp.Diff(c.want, s.told(s.crawl(t, spec))); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
	t.Run("to another host of the site", func(t *testing.T) {
		s := newPages(t, siteserver.Config{}, map[string]string{"/docs/": doc("Start", "a"), "/docs/a": doc("A")})
		far := newPages(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/$", Location: s.at("www.docs.test", "/docs/")}}}, nil)
		spec := s.docs()
		spec.Start = far.at("docs.test", "/docs/")
		got := far.told(s.crawl(t, spec))
		want := []string{"redirect http://docs.test/docs/ -> " + s.at("www.docs.test", "/docs/"), "fetched " + s.at("www.docs.test", "/docs/"), "fetched " + s.at("www.docs.test", "/docs/a")}
		if d := cmp.Diff(want, got); d != "" {
			t.Error("(-want +got):", d)
		}
	})
}

// TestRobotsOfTheHost is bug 20: robots.txt that redirects, loops, fails or is large.
func TestRobotsOfTheHost(t *testing.T) {
	deny := "User-agent: *\nDisallow: /docs/a"
	yes, no := "fetched /docs/a", "skipped /docs/a robots_disallowed"
	for _, c := range []struct {
		name   string
		robots string
		rules  []siteserver.Rule
		want   string
	}{
		{"none", "", nil, yes},
		{"denies", deny, nil, no},
		{"denies us by name", "User-agent: *\nDisallow:\n\nUser-agent: footnotebot\nDisallow: /docs/a", nil, no},
		{"allows us by name", deny + "\n\nUser-agent: FootnoteBot\nAllow: /", nil, yes},
		{"forbidden itself", deny, []siteserver.Rule{{Match: "^/robots.txt$", Status: 403}}, yes},
		{"redirected", "", []siteserver.Rule{{Match: "^/robots.txt$", Location: "/hop1"}, {Match: "^/hop1$", Location: "/real"}, {Match: "^/real$", Body: deny}}, no},
		{"redirected in a circle", "", []siteserver.Rule{{Match: "^/robots.txt$", Location: "/hop1"}, {Match: "^/hop1$", Location: "/robots.txt"}}, yes},
		{"six redirects", "", []siteserver.Rule{{Match: "^/robots.txt$", Location: "/h/1"}, {Match: "^/h/1$", Location: "/h/2"}, {Match: "^/h/2$", Location: "/h/3"}, {Match: "^/h/3$", Location: "/h/4"}, {Match: "^/h/4$", Location: "/h/5"}, {Match: "^/h/5$", Location: "/h/6"}, {Match: "^/h/6$", Body: deny}}, yes},
		{"beyond 500 KiB", strings.Repeat("# padding\n", 60_000) + deny, nil, yes},
		{"within 500 KiB", deny + "\n" + strings.Repeat("# padding\n", 60_000), nil, no},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newPages(t, siteserver.Config{Robots: c.robots, Rules: c.rules}, map[string]string{"/docs/": doc("Start", "a"), "/docs/a": doc("A")})
			if d := cmp.Diff([]string{"fetched /docs/", c.want}, s.told(s.crawl(t, s.docs()))); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
	for _, status := range []int{429, 500, 503} {
		t.Run("in trouble", func(t *testing.T) {
			s := newPages(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/robots.txt$", Status: status}}}, map[string]string{"/docs/": doc("Start")})
			if d := cmp.Diff([]string{"skipped /docs/ robots_disallowed"}, s.told(s.crawl(t, s.docs()))); d != "" {
				t.Errorf("status %d (-want +got): %s", status, d)
			}
		})
	}
	t.Run("another host's rules stay there", func(t *testing.T) {
		s := newPages(t, siteserver.Config{Robots: deny}, map[string]string{"/docs/a": doc("A")})
		far := newPages(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/robots.txt$", Location: s.url + "/real"}}}, map[string]string{"/docs/": doc("Start", "a"), "/docs/a": doc("A")})
		s.Set("/real", []byte("User-agent: *\nDisallow: /other"))
		if got := far.told(far.crawl(t, far.docs())); !slices.Contains(got, yes) {
			t.Errorf("got %v", got)
		}
	})
}

// TestCases crawls the site server's cases one by one, each from its own address.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		path string
		want []string
	}{
		{"page", []string{"fetched /__case/page"}},
		{"redirect/3", []string{"redirect /__case/redirect/3 -> /__case/redirect/2", "redirect /__case/redirect/2 -> /__case/redirect/1", "redirect /__case/redirect/1 -> /__case/redirect/0", "redirect /__case/redirect/0 -> /__case/page", "fetched /__case/page"}},
		{"redirect-to?u=http://169.254.169.254/", []string{"failed /__case/redirect-to?u=http://169.254.169.254/ security_blocked"}},
		{"meta-refresh", []string{"redirect /__case/meta-refresh -> /__case/page", "fetched /__case/page"}},
		{"canonical", []string{"redirect /__case/canonical -> /__case/page", "fetched /__case/page"}},
		{"canonical-foreign", []string{"fetched /__case/canonical-foreign"}},
		{"soft404", []string{"failed /__case/soft404 page_not_ingested"}},
		{"login", []string{"failed /__case/login page_not_ingested"}},
		{"challenge", []string{"failed /__case/challenge page_not_ingested"}},
		{"huge", []string{"failed /__case/huge request_too_large"}},
		{"bomb", []string{"failed /__case/bomb request_too_large"}},
		{"nested", []string{"failed /__case/nested unsupported_format"}},
		{"noindex", []string{"excluded /__case/noindex", "fetched /__case/page"}},
		{"nofollow", []string{"fetched /__case/nofollow"}},
		{"x-robots", []string{"excluded /__case/x-robots"}},
		{"js", []string{"failed /__case/js page_not_ingested"}},
		{"cp1256", []string{"fetched /__case/cp1256"}},
		{"utf16", []string{"fetched /__case/utf16"}},
		{"markdown", []string{"fetched /__case/markdown"}},
		{"etag", []string{"fetched /__case/etag"}},
		{"mislabelled", []string{"failed /__case/mislabelled unsupported_format"}},
		{"download", []string{"failed /__case/download unsupported_format"}},
		{"empty", []string{"excluded /__case/empty"}},
		{"tabs", []string{"fetched /__case/tabs"}},
	} {
		t.Run(c.path, func(t *testing.T) {
			s := newSite(t, siteserver.Config{Cases: true})
			spec := s.docs()
			spec.Start = s.url + "/__case/" + c.path
			if d := cmp.Diff(c.want, s.told(s.crawl(t, spec))); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
}

// TestTraps crawls the cases that never end by themselves.
func TestTraps(t *testing.T) {
	for _, c := range []struct {
		path         string
		kept, visits int // at most
	}{
		{"redirect-loop", 0, 11},
		{"session", 1, 2},
		{"deep/", 1, 2},
		{"pages?page=1", 1, 11},
		{"calendar", 22, 22},
		{"facets?a=1&b=2", 2, 2},
		{"odd-links", 2, 4},
		{"base", 2, 2},
	} {
		t.Run(c.path, func(t *testing.T) {
			s := newSite(t, siteserver.Config{Cases: true})
			spec := s.docs()
			spec.Start = s.url + "/__case/" + c.path
			got := s.crawl(t, spec)
			if kept(got) > c.kept || len(got) > c.visits {
				t.Errorf("kept %d of %d visits, want at most %d of %d: %v", kept(got), len(got), c.kept, c.visits, s.told(got))
			}
			for _, v := range got {
				if !strings.HasPrefix(v.URL, s.url) {
					t.Errorf("visited %s", v.URL)
				}
			}
		})
	}
}
