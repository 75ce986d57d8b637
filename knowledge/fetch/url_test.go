package fetch_test

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
)

func TestParse(t *testing.T) {
	const base = "https://example.com/core/quickstart/start.html?v=1#top"
	for _, c := range []struct{ name, ref, want string }{
		{"relative to the folder, not the file", "impressum.html", "https://example.com/core/quickstart/impressum.html"},
		{"parent folder", "../docker-deployment", "https://example.com/core/docker-deployment"},
		{"parent beyond the root", "../../../../x", "https://example.com/x"},
		{"root", "/x/./y/../z", "https://example.com/x/z"},
		{"encoded dots", "/x/%2e%2E/z", "https://example.com/z"},
		{"other host", "//other.com/a", "https://other.com/a"},
		{"query alone", "?page=2", "https://example.com/core/quickstart/start.html?page=2"},
		{"fragment alone", "#two", "https://example.com/core/quickstart/start.html?v=1#two"},
		{"empty", "", "https://example.com/core/quickstart/start.html?v=1"},
		{"spaces and line breaks", " \n/a\tb\n ", "https://example.com/ab"},
		{"backslashes", `\a\b`, "https://example.com/a/b"},
		{"default port", "https://example.com:443/", "https://example.com/"},
		{"other port", "http://EXAMPLE.com:08080", "http://example.com:8080/"},
		{"international name", "http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"non-ASCII path", "/دليل", "https://example.com/%D8%AF%D9%84%D9%8A%D9%84"},
		{"stray percent", "/100%/%zz", "https://example.com/100%25/%25zz"},
		{"hexadecimal address", "http://0x7f000001/", "http://127.0.0.1/"},
		{"decimal address", "http://2130706433/", "http://127.0.0.1/"},
		{"octal address", "http://0177.0.0.01/", "http://127.0.0.1/"},
		{"short address", "http://127.1/", "http://127.0.0.1/"},
		{"mapped address", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"},
		{"long IPv6", "http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"},
		{"full-width digits", "http://１２７.0.0.1/", "http://127.0.0.1/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, err := url.Parse(base)
			if err != nil {
				t.Fatal(err)
			}
			got, err := fetch.Parse(from, c.ref)
			if err != nil || got.String() != c.want {
				t.Errorf("Parse(%q) = %v, %v; want %s", c.ref, got, err, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, ref, says string }{
		{"script", "javascript:alert(1)", "javascript:"},
		{"data", "data:text/html,x", "data:"},
		{"ftp", "ftp://example.com/", "ftp:"},
		{"file", "file:///etc/passwd", "file:"},
		{"mail", "mailto:a@b.example", "mailto:"},
		{"user and password", "http://user:pw@example.com/", "password"},
		{"user", "http://user@example.com/", "password"},
		{"no protocol", "example.com/docs", "https://"},
		{"nothing", "", "empty"},
		{"no host", "http://", "host"},
		{"only a dot", "http://./", "host"},
		{"only a port", "http://:80/", "host"},
		{"bad port", "http://example.com:99999/", "port"},
		{"port that is a word", "http://example.com:http/", "port"},
		{"bad escape in the host", "http://%zz/", "host"},
		{"space in the host", "http://a b/", "host"},
		{"address out of range", "http://256.1.1.1/", "host"},
		{"address with a zone", "http://[fe80::1%25eth0]/", "host"},
		{"too long", "http://example.com/" + strings.Repeat("a", 3000), "longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := fetch.Parse(nil, c.ref)
			if knowledge.CodeOf(err) != knowledge.InvalidURL || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Parse(%q) = %v, %v; want invalid_url with %q", c.ref, got, err, c.says)
			}
		})
	}
}

// alike compares addresses without their fragment, which never reaches a server, and
// with our spelling of a percent sign that begins no escape.
func alike(got *url.URL, href string) bool {
	href, _, _ = strings.Cut(href, "#")
	href = regexp.MustCompile(`%([0-9a-fA-F]{0,1}([^0-9a-fA-F]|$))`).ReplaceAllString(href, "%25$1")
	plain := *got
	plain.Fragment, plain.RawFragment = "", ""
	return plain.String() == href
}

// TestWHATWG holds Parse against the browsers' own cases. On purpose we differ in
// credentials, which are refused, and in hosts that no name server could know.
func TestWHATWG(t *testing.T) {
	data, err := os.ReadFile("testdata/whatwg/urltestdata.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Input, Base, Href string
		Failure           bool
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	unknowable := map[string]bool{"http://./": true, "http://../": true, "http://foo.09..": true, "http://!\"$&'()*+,-.;=_`{}~/": true}
	credentials := regexp.MustCompile(`^https?:[/\\]*[^/\\?#]*@`)
	same := 0
	for _, c := range cases {
		var base *url.URL
		if c.Base != "" {
			if base, err = fetch.Parse(nil, c.Base); err != nil {
				continue // credentials
			}
		}
		got, err := fetch.Parse(base, c.Input)
		switch {
		case c.Failure && err != nil, err == nil && !c.Failure && alike(got, c.Href):
			same++
		case c.Failure:
			t.Errorf("%q on %q = %s, want a refusal", c.Input, c.Base, got)
		case credentials.MatchString(strings.ReplaceAll(c.Input, "\t", "")):
			if err == nil {
				t.Errorf("%q on %q = %s: credentials must be refused", c.Input, c.Base, got)
			}
		case unknowable[c.Input]:
			if err == nil {
				t.Errorf("%q = %s, want a refusal", c.Input, got)
			}
		default:
			t.Errorf("%q on %q = %v, %v; want %s", c.Input, c.Base, got, err, c.Href)
		}
	}
	t.Logf("%d of %d alike", same, len(cases))
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"http://example.com/a/../b?q#f", "//x", `\\x\y`, "http://[::1]:80/", "http://0x7f.1/", "%", "a b", "http:x", "http://é/é?é#é", "..", "http://1.2.3.4.5/"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/a/b"}
	f.Fuzz(func(t *testing.T, ref string) {
		u, err := fetch.Parse(base, ref)
		if err != nil {
			if knowledge.CodeOf(err) != knowledge.InvalidURL {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			t.Fatalf("Parse(%q) = %#v", ref, u)
		}
		again, err := fetch.Parse(nil, u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("Parse(%q) = %s, but that is read as %v, %v", ref, u, again, err)
		}
	})
}
