package siteserver

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer is what tests look at.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

func get(t *testing.T, url string, header ...string) answer {
	t.Helper()
	return do(t, http.MethodGet, url, nil, header...)
}

func do(t *testing.T, method, url string, body io.Reader, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(b)}
}

func start(t *testing.T, cfg Config) (*Server, string) {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return s, ts.URL
}

func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{
		"index.html": "<h1>hi</h1>", "a.html.ar": "عربي", "a.html.en": "english", "n.md": "# Note", "sub/index.html": "sub",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTree(t *testing.T) {
	_, url := start(t, Config{Mounts: []Mount{{"/d/", tree(t)}}, Robots: "auto", Sitemap: "gzip"})
	etag := get(t, url+"/d/").Header.Get("ETag")
	for _, c := range []struct {
		name, path string
		header     []string
		status     int
		body       string
	}{
		{"folder", "/d/", nil, 200, "<h1>hi</h1>"},
		{"folder without slash", "/d", nil, 301, ""},
		{"inner folder without slash", "/d/sub", nil, 301, ""},
		{"validator", "/d/", []string{"If-None-Match", etag}, 304, ""},
		{"negotiated", "/d/a.html", []string{"Accept-Language", "ar, en;q=0.5"}, 200, "عربي"},
		{"negotiated by default", "/d/a.html", nil, 200, "english"},
		{"outside the tree", "/d/../../etc/passwd", nil, 404, "Not Found"},
		{"robots", "/robots.txt", nil, 200, "Sitemap: " + url + "/sitemap.xml"},
		{"sitemap index", "/sitemap.xml", nil, 200, "/sitemap-0.xml.gz</loc>"},
		{"no such sitemap", "/sitemap-7.xml", nil, 404, ""},
		{"cases are off", "/__case/page", nil, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := get(t, url+c.path, c.header...)
			if got.Status != c.status || (got.Status != 301 && !strings.Contains(got.Body, c.body)) {
				t.Errorf("got %d %q, want %d with %q", got.Status, got.Body, c.status, c.body)
			}
		})
	}
}

func TestRules(t *testing.T) {
	_, url := start(t, Config{Mounts: []Mount{{"/d/", tree(t)}}, Rules: []Rule{
		{Match: `^/old/(.*)$`, Location: "/d/$1", Status: 301},
		{Match: `^/d/sub/`, First: 1, Status: 500, RetryAfter: "3"},
	}})
	if got := get(t, url+"/old/x"); got.Status != 301 || got.Header.Get("Location") != "/d/x" {
		t.Errorf("redirect: %d %q", got.Status, got.Header.Get("Location"))
	}
	if got := get(t, url+"/d/sub/"); got.Status != 500 || got.Header.Get("Retry-After") != "3" {
		t.Errorf("first: %d %q", got.Status, got.Header.Get("Retry-After"))
	}
	if got := get(t, url+"/d/sub/"); got.Status != 200 {
		t.Errorf("second: %d", got.Status)
	}
	if _, err := New(Config{Rules: []Rule{{Match: "("}}}); err == nil {
		t.Error("a bad expression was taken")
	}
}

func TestControl(t *testing.T) {
	s, url := start(t, Config{Mounts: []Mount{{"/d/", tree(t)}}})
	do(t, http.MethodPost, url+"/__set?path=/d/index.html", strings.NewReader("new"))
	if got := get(t, url+"/d/index.html"); got.Body != "new" {
		t.Errorf("replaced page: %q", got.Body)
	}
	do(t, http.MethodPost, url+"/__set?path=/d/index.html&gone=1", nil)
	if got := get(t, url+"/d/index.html"); got.Status != 410 {
		t.Errorf("gone page: %d", got.Status)
	}
	var log []Hit
	if err := json.Unmarshal([]byte(get(t, url+"/__log").Body), &log); err != nil {
		t.Fatal(err)
	}
	var statuses []int
	for _, h := range log {
		statuses = append(statuses, h.Status)
	}
	if d := cmp.Diff([]int{200, 410}, statuses); d != "" {
		t.Error("log (-want +got):", d)
	}
	get(t, url+"/__reset")
	if len(s.Hits()) != 0 || get(t, url+"/d/index.html").Status != 200 {
		t.Error("reset left something")
	}
}

func TestCasesAreServed(t *testing.T) {
	_, url := start(t, Config{Cases: true})
	list := get(t, url+"/__case/").Body
	for _, c := range Cases() {
		if !strings.Contains(list, c.Want) {
			t.Errorf("%s is not listed", c.Path)
		}
		if c.Endless {
			continue
		}
		if got := get(t, url+"/__case/"+c.Path); got.Status == 404 {
			t.Errorf("%s is not served", c.Path)
		}
	}
}

func TestNames(t *testing.T) {
	r := Names(map[string]netip.Addr{"docs.test": netip.MustParseAddr("127.0.0.1")})
	got, err := r.LookupNetIP(t.Context(), "ip", "docs.test")
	if err != nil || len(got) != 1 || got[0].Unmap().String() != "127.0.0.1" {
		t.Errorf("docs.test: %v, %v", got, err)
	}
	if got, err := r.LookupNetIP(t.Context(), "ip", "other.test"); err == nil {
		t.Errorf("other.test: %v", got)
	}
}
