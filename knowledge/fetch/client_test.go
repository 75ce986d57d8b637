package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
	"footnote/test/siteserver"
)

// serve answers with h; the client may talk to loopback and reads at most 1 MiB.
func serve(t *testing.T, h http.Handler) (*fetch.Client, string) {
	t.Helper()
	ts := httptest.NewServer(h)
	c := fetch.New(fetch.Options{
		Version: "1.2", Contact: "https://footnote.example/bot", MaxBody: 1 << 20,
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: siteserver.Names(names()),
	})
	t.Cleanup(func() {
		c.CloseIdleConnections()
		ts.Close()
	})
	return c, ts.URL
}

// answer is a handler that sends body with these headers ("Name: value").
func answer(status int, body []byte, headers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil // no guessing by net/http
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Add(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

func TestRequestHeaders(t *testing.T) {
	var got http.Header
	c, at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("Set-Cookie", "a=b")
		_, _ = io.WriteString(w, "<html>")
	}))
	for range 2 {
		if _, err := c.Get(t.Context(), fetch.Request{URL: parse(t, at+"/#fragment")}); err != nil {
			t.Fatal(err)
		}
	}
	want := http.Header{
		"User-Agent":      {"FootnoteBot/1.2 (+https://footnote.example/bot)"},
		"Accept":          {"text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.5, */*;q=0.1"},
		"Accept-Encoding": {"gzip, br, zstd"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("headers (-want +got):", d)
	}
}

func squeeze(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		zw, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = zw
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCompression(t *testing.T) {
	page := []byte("<html><p>" + strings.Repeat("text ", 1000))
	zip := func(coding string, b []byte) []byte { return squeeze(t, coding, b) }
	for _, c := range []struct {
		name    string
		body    []byte
		headers []string
		code    knowledge.Code
	}{
		{"plain", page, nil, ""},
		{"identity", page, []string{"Content-Encoding: identity"}, ""},
		{"gzip", zip("gzip", page), []string{"Content-Encoding: gzip"}, ""},
		{"x-gzip", zip("gzip", page), []string{"Content-Encoding: x-gzip"}, ""},
		{"brotli", zip("br", page), []string{"Content-Encoding: br"}, ""},
		{"zstd", zip("zstd", page), []string{"Content-Encoding: zstd"}, ""},
		{"twice in one header", zip("gzip", zip("br", page)), []string{"Content-Encoding: br, gzip"}, ""},
		{"twice in two headers", zip("gzip", zip("zstd", page)), []string{"Content-Encoding: zstd", "Content-Encoding: gzip"}, ""},
		{"gzip that nobody mentioned", zip("gzip", page), nil, ""},
		{"gzip in gzip, one mentioned", zip("gzip", zip("gzip", page)), []string{"Content-Encoding: gzip"}, ""},
		{"five times over", page, []string{"Content-Encoding: gzip, gzip, gzip, gzip, gzip"}, knowledge.ResourceLimit},
		{"unknown coding", page, []string{"Content-Encoding: lzma"}, knowledge.UnsupportedFormat},
		{"not gzip at all", page, []string{"Content-Encoding: gzip"}, knowledge.ConnectError},
		{"gzip that breaks off", zip("gzip", page)[:40], []string{"Content-Encoding: gzip"}, knowledge.ConnectError},
		{"brotli that breaks off", zip("br", page)[:20], []string{"Content-Encoding: br"}, knowledge.ConnectError},
		{"zstd that breaks off", zip("zstd", page)[:20], []string{"Content-Encoding: zstd"}, knowledge.ConnectError},
		{"gzip that is complete in a transfer that is not", zip("gzip", page), []string{"Content-Encoding: gzip", "Content-Length: 100000"}, knowledge.ConnectError},
		{"gzip bomb", zip("gzip", make([]byte, 64<<20)), []string{"Content-Encoding: gzip"}, knowledge.RequestTooLarge},
		{"brotli bomb", zip("br", make([]byte, 64<<20)), []string{"Content-Encoding: br"}, knowledge.RequestTooLarge},
		{"zstd bomb", zip("zstd", make([]byte, 64<<20)), []string{"Content-Encoding: zstd"}, knowledge.RequestTooLarge},
		{"bomb in a bomb", zip("gzip", zip("gzip", make([]byte, 64<<20))), []string{"Content-Encoding: gzip, gzip"}, knowledge.RequestTooLarge},
		{"bomb that nobody mentioned", zip("gzip", make([]byte, 64<<20)), nil, knowledge.RequestTooLarge},
		{"too large without compression", bytes.Repeat([]byte("x"), 1<<20+1), nil, knowledge.RequestTooLarge},
		{"just as large as it may be", bytes.Repeat([]byte("x"), 1<<20), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, at := serve(t, answer(200, c.body, append(c.headers, "Content-Type: text/html")...))
			resp, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at)})
			if knowledge.CodeOf(err) != c.code {
				t.Fatalf("got %v, want code %q", err, c.code)
			}
			if c.code == "" && len(c.body) < 1<<20 && !bytes.Equal(resp.Body, page) {
				t.Errorf("got %d bytes, want %d", len(resp.Body), len(page))
			}
		})
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		status  int
		code    knowledge.Code
		headers []string
		retry   time.Duration
	}{
		{200, "", nil, 0},
		{203, "", nil, 0},
		{206, knowledge.ConnectError, nil, 0},
		{304, knowledge.PageNotIngested, nil, 0}, // nobody asked a condition
		{300, knowledge.PageNotIngested, nil, 0},
		{301, knowledge.PageNotIngested, nil, 0}, // to nowhere
		{400, knowledge.PageNotIngested, nil, 0},
		{401, knowledge.PageNotIngested, nil, 0},
		{403, knowledge.PageNotIngested, nil, 0},
		{404, knowledge.NotFound, nil, 0},
		{408, knowledge.ConnectError, nil, 0},
		{410, knowledge.NotFound, nil, 0},
		{429, knowledge.ConnectError, []string{"Retry-After: 120"}, 2 * time.Minute},
		{500, knowledge.ConnectError, nil, 0},
		{503, knowledge.ConnectError, []string{"Retry-After: soon"}, 0},
		{503, knowledge.PageNotIngested, []string{"Cf-Mitigated: challenge"}, 0},
	} {
		t.Run(fmt.Sprint(c.status, c.headers), func(t *testing.T) {
			client, at := serve(t, answer(c.status, []byte("<html>"), append(c.headers, "Content-Type: text/html")...))
			_, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at)})
			if knowledge.CodeOf(err) != c.code {
				t.Fatalf("got %v, want code %q", err, c.code)
			}
			if status, ok := errors.AsType[*fetch.StatusError](err); ok && (status.Status != c.status || status.RetryAfter != c.retry) {
				t.Errorf("got %+v, want status %d, retry %v", status, c.status, c.retry)
			}
		})
	}
}

func TestRetryAfterDate(t *testing.T) {
	at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	client, url := serve(t, answer(503, nil, "Retry-After: "+at))
	_, err := client.Get(t.Context(), fetch.Request{URL: parse(t, url)})
	status, ok := errors.AsType[*fetch.StatusError](err)
	if !ok || status.RetryAfter < 60*time.Second || status.RetryAfter > 90*time.Second {
		t.Errorf("got %+v, want about 90 s", status)
	}
}

func TestConditional(t *testing.T) {
	s, err := siteserver.New(siteserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.Set("/a", []byte("<html>one"))
	client, at := serve(t, s)
	first, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at+"/a")})
	if err != nil || first.ETag == "" || first.LastModified == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	for _, c := range []struct {
		name string
		req  fetch.Request
		want bool
	}{
		{"etag", fetch.Request{ETag: first.ETag}, true},
		{"other etag", fetch.Request{ETag: `"x"`}, false},
		{"date", fetch.Request{LastModified: first.LastModified}, true},
		{"etag beats date", fetch.Request{ETag: `"x"`, LastModified: first.LastModified}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.req.URL = parse(t, at+"/a")
			got, err := client.Get(t.Context(), c.req)
			if err != nil || got.NotModified != c.want || (len(got.Body) == 0) != c.want {
				t.Errorf("got %+v, %v; want not modified %v", got, err, c.want)
			}
		})
	}
}

func TestTruncatedBody(t *testing.T) {
	s, err := siteserver.New(siteserver.Config{Rules: []siteserver.Rule{{Match: "^/cut", Truncate: 100}, {Match: "^/reset", Reset: true}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Set("/cut", bytes.Repeat([]byte("text "), 1000))
	client, at := serve(t, s)
	for _, path := range []string{"/cut", "/reset"} {
		if got, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at+path)}); knowledge.CodeOf(err) != knowledge.ConnectError {
			t.Errorf("%s: got %d bytes, %v; want connect_error", path, len(got.Body), err)
		}
	}
}

func TestRedirects(t *testing.T) {
	s, err := siteserver.New(siteserver.Config{Cases: true, Rules: []siteserver.Rule{
		{Match: "^/circle-a$", Location: "/circle-b"},
		{Match: "^/circle-b$", Location: "/circle-a"},
		{Match: "^/script$", Location: "javascript:alert(1)"},
		{Match: "^/inside$", Location: "http://10.0.0.1/"},
		{Match: "^/metadata$", Location: "http://169.254.169.254/latest/"},
		{Match: "^/name$", Location: "http://private.test/"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	client, at := serve(t, s)
	for _, c := range []struct {
		name, path string
		code       knowledge.Code
		hops       int
	}{
		{"none", "/__case/page", "", 0},
		{"three", "/__case/redirect/2", "", 3},
		{"ten", "/__case/redirect/9", "", 10},
		{"eleven", "/__case/redirect/10", knowledge.ConnectError, 10},
		{"endless", "/__case/redirect-loop", knowledge.ConnectError, 10},
		{"circle", "/circle-a", knowledge.ConnectError, 1},
		{"to a script", "/script", knowledge.InvalidURL, 0},
		{"to a private address", "/inside", knowledge.SecurityBlocked, 1},
		{"to the metadata service", "/metadata", knowledge.SecurityBlocked, 1},
		{"to a name of a private address", "/name", knowledge.SecurityBlocked, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			hops := 0
			resp, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at+c.path), Follow: func(context.Context, *url.URL) error {
				hops++
				return nil
			}})
			if knowledge.CodeOf(err) != c.code || hops != c.hops {
				t.Errorf("got %v after %d hops, want code %q after %d", err, hops, c.code, c.hops)
			}
			if c.code == "" && resp.URL.String() != at+"/__case/page" {
				t.Errorf("answered by %s", resp.URL)
			}
		})
	}
	t.Run("refused by the caller", func(t *testing.T) {
		stop := errors.New("stop")
		_, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at+"/circle-a"), Follow: func(context.Context, *url.URL) error { return stop }})
		if !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("handed back", func(t *testing.T) {
		resp, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at+"/circle-a#part")})
		if err != nil || resp.Redirect == nil || resp.Redirect.String() != at+"/circle-b#part" {
			t.Errorf("got %v, %v", resp.Redirect, err)
		}
	})
}

func TestUnreachable(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	client, at := serve(t, answer(200, nil))
	for _, c := range []struct{ name, url, says string }{
		{"nobody listens", "http://" + closed + "/", "refuses the connection"},
		{"no such host", "http://unknown.test/", "not a known host"},
		{"no TLS there", strings.Replace(at, "http:", "https:", 1), "certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client.Get(t.Context(), fetch.Request{URL: parse(t, c.url)})
			if knowledge.CodeOf(err) != knowledge.ConnectError || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want connect_error with %q", err, c.says)
			}
		})
	}
}

func TestTimeLimits(t *testing.T) {
	for _, c := range []struct{ name, path, says string }{
		{"headers", "/__case/slow-headers", "in time"},
		{"whole body", "/__case/drip", "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := siteserver.New(siteserver.Config{Cases: true})
				if err != nil {
					t.Fatal(err)
				}
				network := siteserver.NewPipe(s)
				client := fetch.New(fetch.Options{Dial: network.Dial})
				_, err = client.Get(t.Context(), fetch.Request{URL: parse(t, "http://docs.test"+c.path)})
				if knowledge.CodeOf(err) != knowledge.ConnectError || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want connect_error with %q", err, c.says)
				}
				client.CloseIdleConnections()
				if err := network.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestCancelled(t *testing.T) {
	client, at := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Get(ctx, fetch.Request{URL: parse(t, at)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if knowledge.CodeOf(context.Canceled) != knowledge.Internal {
		t.Error("a cancelled context became a refusal")
	}
}

func TestRawIsCut(t *testing.T) {
	client, at := serve(t, answer(200, []byte("0123456789"), "Content-Type: application/pdf"))
	for limit, want := range map[int64]fetch.Response{4: {Body: []byte("0123"), Cut: true}, 10: {Body: []byte("0123456789")}} {
		got, err := client.Raw(t.Context(), fetch.Request{URL: parse(t, at)}, limit)
		if err != nil || string(got.Body) != string(want.Body) || got.Cut != want.Cut {
			t.Errorf("limit %d: %q, cut %v, %v", limit, got.Body, got.Cut, err)
		}
	}
}

func TestHTTP2(t *testing.T) {
	var proto string
	ts := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto = r.Proto
		w.Header().Set("Content-Type", "text/html")
	}))
	ts.EnableHTTP2 = true
	ts.StartTLS()
	defer ts.Close()
	client := fetch.New(fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	fetch.Trust(client, ts.Certificate())
	defer client.CloseIdleConnections()
	if _, err := client.Get(t.Context(), fetch.Request{URL: parse(t, ts.URL)}); err != nil || proto != "HTTP/2.0" {
		t.Errorf("%v over %s, want HTTP/2.0", err, proto)
	}
}
