package crawl

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRobotsGoogle runs the cases of Google's own parser. RFC 9309 was written from
// it; the cases named GoogleOnly go beyond the RFC. Those that we answer otherwise,
// and why, are listed.
func TestRobotsGoogle(t *testing.T) {
	otherwise := map[string]string{
		"GoogleOnly_IndexHTMLisDirectory": "a rule for index.html says nothing about its folder",
		"GoogleOnly_LineTooLong":          "a whole file is bounded, not a line",
		"GoogleOnly_SystemTest":           "an empty address or agent never comes here",
	}
	// Two kinds of address that never come here, or that RFC 9309 section 2.2.2 decides
	// otherwise than Google does.
	addresses := map[string]string{
		"http://foo.bar/foo/bar/ツ":   "addresses are always escaped",
		"http://foo.bar/foo/bar/baz": "an escaped unreserved character of a rule is that character",
	}
	data, err := os.ReadFile("testdata/robots/google_robots_cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Test, Robots, Agent, URL string
		Allowed                  bool
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if otherwise[c.Test] != "" || c.Test == "ID_Encoding" && addresses[c.URL] != "" {
			continue
		}
		ran++
		u, err := url.Parse(c.URL)
		if err != nil {
			t.Fatal(err)
		}
		if got := parseRobots([]byte(c.Robots), c.Agent).allows(u.RequestURI()); got != c.Allowed {
			t.Errorf("%s: allows(%s) for %s = %v, want %v, by\n%s", c.Test, c.URL, c.Agent, got, c.Allowed, c.Robots)
		}
	}
	if ran < 120 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestRobotsFiles(t *testing.T) {
	for _, c := range []struct {
		file, agent    string
		allows, denies string // paths between spaces
	}{
		{"rfc9309-example-simple-robots.txt", "otherbot", "/ /publications/x /publications/x.gif?y", "/x.gif /example/y"},
		{"rfc9309-example-simple-robots.txt", "foobot", "/example/page.html /example/allowed.gif", "/ /example/other.gif /publications/"},
		{"rfc9309-example-simple-robots.txt", "barbot", "/ /example/other.html", "/example/page.html"},
		{"rfc9309-example-simple-robots.txt", "bazbot", "/ /example/other.html", "/example/page.html"},
		{"rfc9309-example-simple-robots.txt", "quxbot", "/ /example/page.html /x.gif", ""},
		{"rfc9309-example-longest-match-robots.txt", "foobot", "/example/page/ /example/page/x", "/example/page/disallowed.gif"},
		{"rfc9309-example-rule-group-merging.txt", "examplebot", "/qux", "/foo /bar /baz"},
		{"rfc9309-example-rule-group-merging.txt", "bazbot", "/foo /bar", "/baz"},
		{"rfc9309-example-rule-group-merging.txt", "otherbot", "/baz", "/foo /bar"},
		{"merge-rules.txt", "wget", "/foo/bar /ckh/bar", "/tmp/bar"},
		{"merge-rules.txt", "otherbot", "/ckh/bar", "/foo/bar /tmp/bar"},
		{"precedence-of-rules.txt", "testy", "/foo/bar /other", "/foo /foo/baz"},
		{"extensions-group-merging.txt", "mybot", "/", "/private/x"},
		{"robots-with-utf8-bom.txt", "otherbot", "/", "/login.aspx /a/output/print"},
		{"robots-with-utf16le-bom.txt", "otherbot", "/", "/login.aspx /a/output/print"},
		{"robots-with-utf16be-bom.txt", "otherbot", "/", "/login.aspx /a/output/print"},
		{"directive-typos-robots.txt", "bot", "/desallow/", "/dissalow/ /useragent/ /useragent-no-colon/"},
	} {
		t.Run(c.file+" "+c.agent, func(t *testing.T) {
			rules := parseRobots(robotsFile(t, c.file), c.agent)
			for path := range strings.FieldsSeq(c.allows) {
				if !rules.allows(path) {
					t.Errorf("%s is disallowed", path)
				}
			}
			for path := range strings.FieldsSeq(c.denies) {
				if rules.allows(path) {
					t.Errorf("%s is allowed", path)
				}
			}
		})
	}
}

func robotsFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/robots", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRobotsEscapes is the table of RFC 9309 section 2.2.2.
func TestRobotsEscapes(t *testing.T) {
	for _, c := range []struct {
		name, rule, path string
		denied           bool
	}{
		{"query", "/foo/bar?baz=quz", "/foo/bar?baz=quz", true},
		{"reserved characters", "/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false},
		{"escape in the path only", "/foo/bar/ツ", "/foo/bar/%E3%83%84", true},
		{"small letters in an escape", "/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true},
		{"the dollar escaped", "/foo/bar%24", "/foo/bar$", false},
		{"the star escaped", "/foo/%2A", "/foo/x", false},
		{"star", "/foo/*/bar", "/foo/x/y/bar/z", true},
		{"star at the end", "/foo*", "/foo", true},
		{"end", "/*.php$", "/a.php", true},
		{"not the end", "/*.php$", "/a.php5", false},
		{"the later of two places", "/*a$", "/aba", true},
		{"pieces do not overlap", "/ab*ba$", "/aba", false},
		{"dollar within", "/a$b", "/a$b", true},
		{"case of the path", "/Foo", "/foo", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := parseRobots([]byte("User-agent: *\nDisallow: "+c.rule), "FootnoteBot")
			if got := !rules.allows(c.path); got != c.denied {
				t.Errorf("%q denies %q: %v, want %v", c.rule, c.path, got, c.denied)
			}
		})
	}
}

func TestRobotsExtensions(t *testing.T) {
	const merged = `
User-agent: *
Crawl-delay: 1
User-agent: FootnoteBot
Crawl-delay: 0.5
Disallow: /a

User-agent: footnotebot/1.0
Crawl-delay: 2
`
	for _, c := range []struct {
		name, body string
		delay      time.Duration
		sitemaps   []string
	}{
		{"delay of the named group", merged, 2 * time.Second, nil},
		{"delay for all", "User-agent: *\nCrawl-delay: 1.5", 1500 * time.Millisecond, nil},
		{"dos line endings", string(robotsFile(t, "dos-line-endings.txt")), time.Second, nil},
		{"delay that would never end", "User-agent: *\nCrawl-delay: 86400", maxCrawlDelay, nil},
		{"delay of nobody", "Crawl-delay: 5", 0, nil},
		{"delay that is no number", "User-agent: *\nCrawl-delay: NaN\nCrawl-delay: -1\nCrawl-delay: x", 0, nil},
		{"sitemaps anywhere", string(robotsFile(t, "sitemap-robots.txt")), 0, []string{"http://domain.com/sitemap.xml", "http://domain.com/dir/MixedCased-sitemap.xml"}},
		{"relative sitemap", string(robotsFile(t, "relative-sitemap-robots.txt")), 0, []string{"/sitemap.xml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parseRobots([]byte(c.body), "FootnoteBot")
			if got.delay != c.delay {
				t.Errorf("delay %v, want %v", got.delay, c.delay)
			}
			if d := cmp.Diff(c.sitemaps, got.sitemaps); d != "" {
				t.Error("sitemaps (-want +got):", d)
			}
		})
	}
}

func FuzzRobots(f *testing.F) {
	files, err := filepath.Glob("testdata/robots/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, "/a/b.html?c=d")
	}
	f.Add([]byte("user-agent:*\ndisallow:/*a*b$"), "/xaxbxb")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		rules := parseRobots(body, "FootnoteBot")
		rules.allows(path)
		if rules.delay < 0 || rules.delay > maxCrawlDelay {
			t.Fatalf("delay %v", rules.delay)
		}
		if !rules.allows("/robots.txt") {
			t.Fatal("robots.txt is disallowed")
		}
		plain := append([]byte("user-agent: footnotebot\ndisallow: /\n\n"), body...)
		if len(parseRobots(plain, "FootnoteBot").rules) == 0 {
			t.Fatal("what follows removed a rule")
		}
	})
}
