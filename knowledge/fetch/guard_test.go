package fetch_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
	"footnote/test/siteserver"
)

func TestGuardAddresses(t *testing.T) {
	c := fetch.New(fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/16")}})
	for _, tc := range []struct{ name, addr, what string }{
		{"loopback", "127.0.0.1", "loopback"},
		{"loopback elsewhere", "127.200.3.4", "loopback"},
		{"this host", "0.0.0.0", "unspecified"},
		{"this network", "0.1.2.3", "this network"},
		{"private 10", "10.0.0.1", "private"},
		{"private 172", "172.31.255.255", "private"},
		{"private 192", "192.168.1.1", "private"},
		{"carrier-grade NAT", "100.64.0.1", "carrier-grade NAT"},
		{"metadata", "169.254.169.254", "cloud metadata"},
		{"link-local", "169.254.1.1", "link-local"},
		{"protocol assignments", "192.0.0.8", "protocol assignments"},
		{"documentation 1", "192.0.2.1", "documentation"},
		{"documentation 2", "198.51.100.1", "documentation"},
		{"documentation 3", "203.0.113.1", "documentation"},
		{"benchmarking", "198.19.0.1", "benchmarking"},
		{"multicast", "224.0.0.1", "multicast"},
		{"reserved", "250.0.0.1", "reserved"},
		{"broadcast", "255.255.255.255", "broadcast"},
		{"IPv6 loopback", "::1", "loopback"},
		{"IPv6 unspecified", "::", "unspecified"},
		{"IPv4-mapped", "::ffff:127.0.0.1", "loopback"},
		{"IPv4-compatible", "::127.0.0.1", "IPv4-compatible"},
		{"IPv4-translated", "::ffff:0:127.0.0.1", "IPv4-translated"},
		{"NAT64 of loopback", "64:ff9b::7f00:1", "loopback"},
		{"NAT64 of metadata", "64:ff9b::a9fe:a9fe", "cloud metadata"},
		{"local NAT64", "64:ff9b:1::1", "local NAT64"},
		{"6to4", "2002:7f00:1::1", "6to4"},
		{"Teredo", "2001:0:7f00:1::1", "Teredo"},
		{"IPv6 private", "fc00::1", "private"},
		{"IPv6 metadata", "fd00:ec2::254", "cloud metadata"},
		{"IPv6 link-local", "fe80::1", "link-local"},
		{"IPv6 link-local with zone", "fe80::1%lo", "link-local"},
		{"IPv6 site-local", "fec0::1", "site-local"},
		{"IPv6 multicast", "ff02::1", "multicast"},
		{"IPv6 documentation", "2001:db8::1", "documentation"},
		{"IPv6 documentation 2", "3fff::1", "documentation"},
		{"IPv6 not handed out", "4000::1", "not global unicast"},
		{"allowed", "10.1.2.3", ""},
		{"beside what is allowed", "10.2.0.1", "private"},
		{"allowed, mapped", "::ffff:10.1.2.3", ""},
		{"allowed IPv6", "fd12::1", ""},
		{"public", "93.184.215.14", ""},
		{"public IPv6", "2606:2800:21f::1", ""},
		{"NAT64 of public", "64:ff9b::5db8:d70e", ""},
		{"next to private", "172.32.0.1", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := c.CheckHost(t.Context(), tc.addr)
			if tc.what == "" {
				if err != nil {
					t.Errorf("%s is refused: %v", tc.addr, err)
				}
				return
			}
			if knowledge.CodeOf(err) != knowledge.SecurityBlocked || !strings.Contains(err.Error(), tc.what) || !strings.Contains(err.Error(), "FOOTNOTE_CRAWL_ALLOW_PRIVATE=") {
				t.Errorf("%s: %v; want security_blocked as %s, and how to allow it", tc.addr, err, tc.what)
			}
		})
	}
}

// names are what the tests' resolver knows.
func names() map[string]netip.Addr {
	return map[string]netip.Addr{
		"docs.test":     netip.MustParseAddr("127.0.0.1"),
		"private.test":  netip.MustParseAddr("10.0.0.7"),
		"metadata.test": netip.MustParseAddr("169.254.169.254"),
		"mapped.test":   netip.MustParseAddr("::ffff:10.0.0.7"),
		"public.test":   netip.MustParseAddr("93.184.215.14"),
	}
}

func TestGuardNames(t *testing.T) {
	c := fetch.New(fetch.Options{Resolver: siteserver.Names(names())})
	for host, want := range map[string]knowledge.Code{
		"public.test": "", "private.test": knowledge.SecurityBlocked, "metadata.test": knowledge.SecurityBlocked,
		"mapped.test": knowledge.SecurityBlocked, "docs.test": knowledge.SecurityBlocked, "unknown.test": knowledge.ConnectError,
	} {
		if err := c.CheckHost(t.Context(), host); knowledge.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", host, err, want)
		}
	}
}

// TestGuardAtConnect shows that the guard stands at the connection itself, whatever
// spelling or name leads there, and that nothing reaches the server.
func TestGuardAtConnect(t *testing.T) {
	reached := false
	ts := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer ts.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(ts.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(fetch.Options{Resolver: siteserver.Names(names())})
	defer c.CloseIdleConnections()
	for _, host := range []string{"127.0.0.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "docs.test", "private.test", "metadata.test"} {
		t.Run(host, func(t *testing.T) {
			u, err := fetch.Parse(nil, "http://"+host+":"+port+"/")
			if err != nil {
				t.Fatal(err)
			}
			if _, err = c.Get(t.Context(), fetch.Request{URL: u}); knowledge.CodeOf(err) != knowledge.SecurityBlocked {
				t.Errorf("Get: %v, want security_blocked", err)
			}
			// Past the parser too: the spelling goes to the dialer as it is.
			raw := &url.URL{Scheme: "http", Host: host + ":" + port, Path: "/"}
			resp, err := c.RoundTrip(&http.Request{Method: http.MethodGet, URL: raw, Header: http.Header{}})
			if err == nil {
				_ = resp.Body.Close()
				t.Error("RoundTrip got an answer")
			}
		})
	}
	if reached {
		t.Error("a request reached the server")
	}
}

// TestGuardSecondAnswer has a name server that gives a public address first and a
// private one afterwards: only the address of the connection counts.
func TestGuardSecondAnswer(t *testing.T) {
	answers := names()
	c := fetch.New(fetch.Options{Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		return siteserver.Names(answers).Dial(ctx, network, address)
	}}})
	if err := c.CheckHost(t.Context(), "public.test"); err != nil {
		t.Fatal(err)
	}
	answers = map[string]netip.Addr{"public.test": netip.MustParseAddr("127.0.0.1")}
	if _, err := c.Get(t.Context(), fetch.Request{URL: parse(t, "http://public.test/")}); knowledge.CodeOf(err) != knowledge.SecurityBlocked {
		t.Errorf("got %v, want security_blocked", err)
	}
}

func TestRoundTripRefuses(t *testing.T) {
	c := fetch.New(fetch.Options{})
	for _, raw := range []string{"ftp://example.com/", "file:///etc/passwd", "http://u:p@example.com/"} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.RoundTrip(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}})
		if knowledge.CodeOf(err) != knowledge.InvalidURL {
			t.Errorf("%s: %v, want invalid_url", raw, err)
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
	}
}

func parse(t *testing.T, ref string) *url.URL {
	t.Helper()
	u, err := fetch.Parse(nil, ref)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
