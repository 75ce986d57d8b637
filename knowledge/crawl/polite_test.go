package crawl_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
	"footnote/knowledge/crawl"
	"footnote/knowledge/fetch"
	"footnote/test/siteserver"
)

// origin is a public address: in a bubble nothing is dialled.
const origin = "http://93.184.215.14"

// inBubble runs a crawl of a server whose time is virtual, and gives its outcomes.
func inBubble(t *testing.T, cfg siteserver.Config, pages map[string]string, run func(*testing.T, *siteserver.Server, *crawl.Crawler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv, err := siteserver.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for path, body := range pages {
			srv.Set(path, []byte(body))
		}
		network := siteserver.NewPipe(srv)
		client := fetch.New(fetch.Options{Dial: network.Dial})
		run(t, srv, crawl.New(crawl.Options{Client: client}))
		client.CloseIdleConnections()
		if err := network.Close(); err != nil {
			t.Error(err)
		}
	})
}

func outcomes(t *testing.T, c *crawl.Crawler, spec knowledge.CrawlSpec) []string {
	t.Helper()
	var out []string
	for v, err := range c.Pages(t.Context(), spec) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(v.Outcome)+" "+strings.TrimPrefix(v.Requested, origin))
	}
	return out
}

// starts lists when requests came, after the first.
func starts(s *siteserver.Server) []time.Duration {
	var out []time.Duration
	hits := s.Hits()
	for _, h := range hits {
		out = append(out, h.At.Sub(hits[0].At))
	}
	return out
}

func chapters() map[string]string {
	return map[string]string{"/d/": doc("Start", "a", "b", "c"), "/d/a": doc("A"), "/d/b": doc("B"), "/d/c": doc("C"), "/sitemap.xml": "<urlset><url><loc>/d/a</loc></url></urlset>"}
}

// TestOneGate is bug 29: robots.txt, sitemaps and pages pass one gate, which keeps
// their starts apart, however long an answer takes.
func TestOneGate(t *testing.T) {
	for _, c := range []struct {
		name   string
		delay  time.Duration
		robots string
		slow   int // ms
		want   time.Duration
	}{
		{"delay", 300 * time.Millisecond, "User-agent: *\nDisallow:", 0, 300 * time.Millisecond},
		{"answers slower than the delay", 300 * time.Millisecond, "User-agent: *\nDisallow:", 700, 300 * time.Millisecond},
		{"no delay", 0, "User-agent: *\nDisallow:", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, siteserver.Config{Robots: c.robots, Rules: []siteserver.Rule{{Match: "^/d/.", DelayMS: c.slow}}}, chapters(), func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
				outcomes(t, cr, knowledge.CrawlSpec{Start: origin + "/d/", Robots: true, Delay: c.delay})
				hits := s.Hits()
				if len(hits) != 6 {
					t.Fatalf("%d requests", len(hits))
				}
				var want []time.Duration
				for i := range hits {
					want = append(want, time.Duration(i)*c.want)
				}
				got := starts(s)
				if d := cmp.Diff(want, got); d != "" {
					t.Error("starts (-want +got):", d)
				}
			})
		})
	}
}

// TestCrawlDelay has robots.txt ask for a slower pace than ours, and for a faster one.
func TestCrawlDelay(t *testing.T) {
	for _, c := range []struct {
		name, robots string
		obey         bool
		want         time.Duration // between pages
	}{
		{"slower", "User-agent: *\nCrawl-delay: 2", true, 2 * time.Second},
		{"faster", "User-agent: *\nCrawl-delay: 0.1", true, 300 * time.Millisecond},
		{"absurd", "User-agent: *\nCrawl-delay: 36000", true, 30 * time.Second},
		{"overridden", "User-agent: *\nCrawl-delay: 2", false, 300 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, siteserver.Config{Robots: c.robots}, chapters(), func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
				outcomes(t, cr, knowledge.CrawlSpec{Start: origin + "/d/", Robots: c.obey, Delay: 300 * time.Millisecond})
				got := starts(s)
				for i := 2; i < len(got); i++ { // robots.txt itself is read at our own pace
					if gap := got[i] - got[i-1]; gap != c.want {
						t.Errorf("request %d came %v after the one before, want %v", i, gap, c.want)
					}
				}
			})
		})
	}
}

// TestTwoCrawlsOneHost has two crawls at a time: the host sees one pace.
func TestTwoCrawlsOneHost(t *testing.T) {
	inBubble(t, siteserver.Config{Robots: "User-agent: *\nDisallow:"}, chapters(), func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
		spec := knowledge.CrawlSpec{Start: origin + "/d/", Robots: true, Delay: time.Second}
		done := make(chan []string)
		for range 2 {
			go func() { done <- outcomes(t, cr, spec) }()
		}
		<-done
		<-done
		got := starts(s)
		for i := 1; i < len(got); i++ {
			if gap := got[i] - got[i-1]; gap < time.Second {
				t.Errorf("request %d came %v after the one before", i, gap)
			}
		}
	})
}

// TestPushback is bug 28: a host that asks for patience gets it, in seconds or by a
// date, for everything that is asked of it; the page comes in the end.
func TestPushback(t *testing.T) {
	for _, c := range []struct {
		name string
		rule siteserver.Rule
		wait time.Duration // at least, before the next request
		want string
	}{
		{"429 with seconds", siteserver.Rule{First: 1, Status: 429, RetryAfter: "20"}, 20 * time.Second, "fetched"},
		{"503 with a date", siteserver.Rule{First: 1, Status: 503, RetryAfter: time.Date(2000, 1, 1, 0, 0, 30, 0, time.UTC).Format(http.TimeFormat)}, 28 * time.Second, "fetched"},
		{"429 without a word", siteserver.Rule{First: 2, Status: 429}, time.Second, "fetched"},
		{"429 for ever", siteserver.Rule{Status: 429}, time.Second, "failed"},
		{"429 for a day", siteserver.Rule{Status: 429, RetryAfter: "86400"}, 5 * time.Minute, "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule.Match = "^/d/a$"
			inBubble(t, siteserver.Config{Rules: []siteserver.Rule{c.rule}}, chapters(), func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
				got := outcomes(t, cr, knowledge.CrawlSpec{Start: origin + "/d/", Robots: true, Delay: 300 * time.Millisecond})
				if len(got) != 4 {
					t.Fatalf("got %v", got)
				}
				for _, line := range got {
					if strings.HasSuffix(line, "/d/a") && line != c.want+" /d/a" {
						t.Errorf("got %q, want %s", line, c.want)
					}
				}
				hits := s.Hits()
				for i, h := range hits[:len(hits)-1] {
					if h.Status == 429 || h.Status == 503 {
						if gap := hits[i+1].At.Sub(h.At); gap < c.wait {
							t.Errorf("the next request came %v after %d, want %v", gap, h.Status, c.wait)
						}
						break
					}
				}
			})
		})
	}
}

// TestPaceRecovers has a host push back once: the pace is halved, then comes back.
func TestPaceRecovers(t *testing.T) {
	pages := map[string]string{}
	var links []string
	for n := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz", "") {
		links = append(links, n)
		pages["/d/"+n] = doc("Page " + n)
	}
	pages["/d/"] = doc("Start", links...)
	inBubble(t, siteserver.Config{Rules: []siteserver.Rule{{Match: "^/d/b$", First: 1, Status: 429, RetryAfter: "5"}}}, pages, func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
		outcomes(t, cr, knowledge.CrawlSpec{Start: origin + "/d/", Robots: true, Delay: time.Second})
		got := starts(s)
		slowest, last := time.Duration(0), got[len(got)-1]-got[len(got)-2]
		for i := 1; i < len(got); i++ {
			if gap := got[i] - got[i-1]; gap < 4*time.Second {
				slowest = max(slowest, gap)
			}
		}
		if slowest < 1900*time.Millisecond || last > 1200*time.Millisecond {
			t.Errorf("slowest pace %v, last %v", slowest, last)
		}
	})
}

// TestServerErrorsAreTriedAgain has errors that pass and one that stays.
func TestServerErrorsAreTriedAgain(t *testing.T) {
	rules := []siteserver.Rule{{Match: "^/d/a$", First: 2, Status: 500}, {Match: "^/d/b$", Status: 502}, {Match: "^/d/c$", First: 1, Truncate: 50}}
	inBubble(t, siteserver.Config{Rules: rules}, chapters(), func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
		got := outcomes(t, cr, knowledge.CrawlSpec{Start: origin + "/d/", Robots: true})
		if d := cmp.Diff([]string{"failed /d/b", "fetched /d/", "fetched /d/a", "fetched /d/c"}, sorted(got)); d != "" {
			t.Error("(-want +got):", d)
		}
		asked := map[string]int{}
		for _, h := range s.Hits() {
			asked[h.Path]++
		}
		if asked["/d/a"] != 3 || asked["/d/b"] != 3 || asked["/d/c"] != 2 {
			t.Errorf("asked %v", asked)
		}
	})
}

// TestDelayIsTheOnlyCost has a polite crawl take the time of its delays and no more.
func TestDelayIsTheOnlyCost(t *testing.T) {
	inBubble(t, siteserver.Config{Robots: "User-agent: *\nDisallow:", Delay: 100 * time.Millisecond}, chapters(), func(t *testing.T, s *siteserver.Server, cr *crawl.Crawler) {
		begun := time.Now()
		outcomes(t, cr, knowledge.CrawlSpec{Start: origin + "/d/", Robots: true, Delay: 300 * time.Millisecond})
		if took, most := time.Since(begun), 5*300*time.Millisecond+100*time.Millisecond; took > most {
			t.Errorf("%d requests took %v, want %v", len(s.Hits()), took, most)
		}
	})
}
