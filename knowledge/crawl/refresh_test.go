package crawl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/test/siteserver"
)

// known makes of a crawl's documents what a refresh is given.
func known(visits []knowledge.Visited) map[string]knowledge.Visit {
	out := map[string]knowledge.Visit{}
	for _, v := range visits {
		if v.Outcome == knowledge.Fetched || v.Outcome == knowledge.NotModified {
			out[v.URL] = knowledge.Visit{ETag: v.ETag, LastModified: v.LastModified}
		}
	}
	return out
}

// TestRefresh is bugs 26 and 27: every known page is asked for, by condition; what has
// not changed is seen and kept, what is new is found.
func TestRefresh(t *testing.T) {
	s := manual(t, siteserver.Config{})
	spec := s.docs()
	spec.Known = known(s.crawl(t, spec))
	s.Set("/docs/two.html", []byte(doc("Chapter two, revised", "new.html")))
	s.Set("/docs/new.html", []byte(doc("New")))
	s.Set("/docs/three.html", nil)
	spec.MaxPages = 5 // fewer than are known: those are visited all the same
	got := s.crawl(t, spec)
	want := []string{
		"unchanged /docs/",
		"unchanged /docs/one-a.html", "unchanged /docs/one-b.html", "unchanged /docs/one.html",
		"gone /docs/three.html not_found",
		"unchanged /docs/three-a.html", "unchanged /docs/three-b.html",
		"unchanged /docs/two-a.html", "unchanged /docs/two-b.html", "fetched /docs/two.html",
		"fetched /docs/new.html",
	}
	if d := cmp.Diff(sorted(want), sorted(s.told(got))); d != "" {
		t.Error("(-want +got):", d)
	}
	if got[0].ETag == "" || got[0].Markdown != "" || got[0].At.IsZero() {
		t.Errorf("an unchanged page is %+v", got[0])
	}
}

// TestRefreshDoesNotTrustDates has a server whose Last-Modified moves with every
// answer: the page comes again, and what is stored decides.
func TestRefreshDoesNotTrustDates(t *testing.T) {
	s := newPages(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/", NoCond: true}}}, map[string]string{"/docs/": doc("Start")})
	spec := s.docs()
	spec.Known = known(s.crawl(t, spec))
	got := s.crawl(t, spec)
	if len(got) != 1 || got[0].Outcome != knowledge.Fetched {
		t.Errorf("got %v", s.told(got))
	}
}

// TestRefreshWithoutStart visits pages that were added one by one, and no others.
func TestRefreshWithoutStart(t *testing.T) {
	s := manual(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/docs/two.html$", Location: "/docs/two-new.html"}}})
	s.Set("/docs/two-new.html", []byte(doc("Two, elsewhere")))
	spec := s.docs()
	spec.Start = ""
	spec.Known = map[string]knowledge.Visit{s.url + "/docs/one.html": {}, s.url + "/docs/two.html": {}}
	want := []string{"fetched /docs/one.html", "redirect /docs/two.html -> /docs/two-new.html", "fetched /docs/two-new.html"}
	if d := cmp.Diff(want, s.told(s.crawl(t, spec))); d != "" {
		t.Error("(-want +got):", d)
	}
}

// TestRefreshFindsNoCopies has a page under two addresses, one of which is known and
// unchanged: the other does not become a page of its own.
func TestRefreshFindsNoCopies(t *testing.T) {
	s := newPages(t, siteserver.Config{}, map[string]string{"/docs/": doc("Start", "page", "page/"), "/docs/page": doc("Page"), "/docs/page/": doc("Page")})
	spec := s.docs()
	spec.Known = known(s.crawl(t, spec))
	s.Set("/docs/", []byte(doc("Start, revised", "page", "page/")))
	want := []string{"fetched /docs/", "unchanged /docs/page", "redirect /docs/page/ -> /docs/page"}
	if d := cmp.Diff(want, s.told(s.crawl(t, spec))); d != "" {
		t.Error("(-want +got):", d)
	}
}

// journal is what a job has on record after some visits.
func journal(visits []knowledge.Visited) (done []string, pending []knowledge.Pending) {
	for _, v := range visits {
		done = append(done, v.Requested)
		pending = append(pending, v.Found...)
	}
	return done, slices.DeleteFunc(pending, func(p knowledge.Pending) bool { return slices.Contains(done, p.URL) })
}

// TestResume interrupts a crawl after each number of visits and continues it: nothing
// is asked for twice, and in the end everything is there.
func TestResume(t *testing.T) {
	cfg := siteserver.Config{Rules: []siteserver.Rule{{Match: "^/start$", Location: "/docs/"}}}
	s := manual(t, cfg)
	spec := s.docs()
	spec.Start = s.url + "/start"
	whole := s.told(s.crawl(t, spec))
	for n := 1; n < len(whole); n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := manual(t, cfg) // a request that was broken off may reach a server late
			spec.Start = s.url + "/start"
			var first []knowledge.Visited
			for v, err := range s.crawler.Pages(t.Context(), spec) {
				if err != nil {
					t.Fatal(err)
				}
				if first = append(first, v); len(first) == n {
					break
				}
			}
			begun := time.Now()
			again := spec
			again.Done, again.Pending = journal(first)
			rest := s.crawl(t, again)
			if d := cmp.Diff(whole, append(s.told(first), s.told(rest)...)); d != "" {
				t.Error("(-whole +in two parts):", d)
			}
			for _, h := range s.Hits() {
				if h.At.After(begun) && slices.Contains(again.Done, s.url+h.Path) {
					t.Errorf("%s was fetched again", h.Path)
				}
			}
		})
	}
}

func TestResumeCountsDiscovered(t *testing.T) {
	s := manual(t, siteserver.Config{})
	spec := s.docs()
	spec.Done = []string{s.url + "/docs/", s.url + "/docs/one.html"}
	spec.Pending = []knowledge.Pending{{URL: s.url + "/docs/one-a.html", Depth: 2}, {URL: s.url + "/docs/two.html", Depth: 1}}
	got := s.crawl(t, spec)
	if d := cmp.Diff([]string{"fetched /docs/two.html", "fetched /docs/one-a.html", "fetched /docs/two-a.html", "fetched /docs/two-b.html"}, s.told(got)); d != "" {
		t.Error("(-want +got):", d)
	}
	if n := got[len(got)-1].Discovered; n != 6 {
		t.Errorf("discovered %d, want 6", n)
	}
}

// TestRefreshDoesNotGrow has a sitemap with more pages than the library holds: a refresh
// visits those that it has, and takes new ones only where its number leaves room.
func TestRefreshDoesNotGrow(t *testing.T) {
	pages := map[string]string{"/docs/": doc("Start")}
	var sitemap strings.Builder
	sitemap.WriteString("<urlset>")
	for i := range 9 {
		path := fmt.Sprintf("/docs/%d.html", i)
		pages[path] = doc(fmt.Sprint("Page ", i))
		sitemap.WriteString("<url><loc>" + path + "</loc></url>")
	}
	pages["/sitemap.xml"] = sitemap.String() + "</urlset>"
	s := newPages(t, siteserver.Config{}, pages)
	spec := s.docs()
	spec.Known = map[string]knowledge.Visit{}
	for _, path := range []string{"/docs/", "/docs/0.html", "/docs/7.html", "/docs/8.html"} {
		spec.Known[s.url+path] = knowledge.Visit{}
	}
	for _, c := range []struct {
		most int
		want []string
	}{
		{4, []string{"fetched /docs/", "fetched /docs/0.html", "fetched /docs/7.html", "fetched /docs/8.html"}},
		{5, []string{"fetched /docs/", "fetched /docs/0.html", "fetched /docs/7.html", "fetched /docs/8.html", "fetched /docs/1.html"}},
	} {
		spec.MaxPages = c.most
		if d := cmp.Diff(c.want, s.told(s.crawl(t, spec))); d != "" {
			t.Errorf("at most %d (-want +got): %s", c.most, d)
		}
	}
}
