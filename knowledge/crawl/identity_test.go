package crawl

import (
	"net/url"
	"testing"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
)

func TestKey(t *testing.T) {
	for _, c := range []struct{ name, ref, want string }{
		{"fragment", "http://a.example/x#part", "http://a.example/x"},
		{"empty fragment and query", "http://a.example/x?#", "http://a.example/x"},
		{"hash route", "http://a.example/#/guide/start", "http://a.example/#/guide/start"},
		{"hash-bang route", "http://a.example/#!guide", "http://a.example/#!guide"},
		{"no path", "http://A.example", "http://a.example/"},
		{"default port", "https://a.example:443/x", "https://a.example/x"},
		{"sorted query", "http://a.example/?b=2&a=1", "http://a.example/?a=1&b=2"},
		{"order of one parameter stays", "http://a.example/?a=2&a=1", "http://a.example/?a=2&a=1"},
		{"empty parameters", "http://a.example/?&&a=1&", "http://a.example/?a=1"},
		{"tracking", "http://a.example/?utm_source=x&a=1&GCLID=2&fbclid=3", "http://a.example/?a=1"},
		{"only tracking", "http://a.example/x?utm_campaign=y", "http://a.example/x"},
		{"what looks like tracking", "http://a.example/?ref=v2&source=x", "http://a.example/?ref=v2&source=x"},
		{"session in the path", "http://a.example/a;jsessionid=0A/b?c=d", "http://a.example/a/b?c=d"},
		{"unreserved escapes", "http://a.example/p%61ge?%71=%7e", "http://a.example/page?q=~"},
		{"reserved escapes", "http://a.example/a%2fb?q=a%26b", "http://a.example/a%2Fb?q=a%26b"},
		{"a final slash means something", "http://a.example/x/", "http://a.example/x/"},
		{"so does an index page", "http://a.example/index.html", "http://a.example/index.html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got, err := resolve(nil, c.ref)
			if err != nil || got != c.want {
				t.Errorf("key of %q = %q, %v; want %q", c.ref, got, err, c.want)
			}
		})
	}
}

func FuzzKey(f *testing.F) {
	for _, seed := range []string{"http://a.example/x?b&a#/r", "http://a.example/%2e%2e/%c3%a9?%", "//b/;jsessionid=1", "?utm_source&&=", "#!", "a%2", "http://a/;jsessionid=/;JSESSIONID=", ".;jsessionid=0"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "http", Host: "a.example", Path: "/d/"}
	f.Fuzz(func(t *testing.T, ref string) {
		u, key, err := resolve(base, ref)
		if err != nil {
			return
		}
		_, again, err := resolve(nil, key)
		if err != nil || again != key || Key(u) != key {
			t.Fatalf("%q has key %q, whose key is %q, %v", ref, key, again, err)
		}
	})
}

func TestScope(t *testing.T) {
	for _, c := range []struct {
		name  string
		scope knowledge.Scope
		start string
		in    []string
		out   []string
	}{
		{
			"tree under a file", knowledge.ScopeTree, "http://a.example/docs/start.html",
			[]string{"http://a.example/docs/", "http://a.example/docs/x/y", "https://a.example/docs/z", "http://a.example/docs/?q"},
			[]string{"http://a.example/", "http://a.example/docs", "http://a.example/docsx/", "http://b.example/docs/", "http://a.example:81/docs/", "http://www.a.example/docs/"},
		},
		{"tree is the default", "", "http://a.example/docs/", []string{"http://a.example/docs/x"}, []string{"http://a.example/x"}},
		{"tree of a host", knowledge.ScopeTree, "http://a.example", []string{"http://a.example/x"}, []string{"http://b.a.example/"}},
		{"prefix", knowledge.ScopePrefix, "http://a.example/docs/v2", []string{"http://a.example/docs/v2/x", "http://a.example/docs/v2.1", "https://a.example/docs/v2"}, []string{"http://a.example/docs/", "http://b.example/docs/v2"}},
		{"domain", knowledge.ScopeDomain, "http://docs.a.co.uk/x", []string{"http://a.co.uk/", "https://www.a.co.uk:8443/y"}, []string{"http://b.co.uk/", "http://co.uk/"}},
		{"domain with private suffixes", knowledge.ScopeDomain, "http://me.github.io/", []string{"http://me.github.io/x"}, []string{"http://you.github.io/"}},
		{"domain of an address", knowledge.ScopeDomain, "http://127.0.0.1:80/", []string{"http://127.0.0.1/x"}, []string{"http://127.0.0.1:81/", "http://127.0.0.2/"}},
		{"exact", knowledge.ScopeExact, "http://a.example/x", []string{"http://a.example/x", "https://a.example/x#y"}, []string{"http://a.example/x/", "http://a.example/x?y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScope(c.scope, web(t, c.start))
			for want, list := range map[bool][]string{true: c.in, false: c.out} {
				for _, ref := range list {
					if u := web(t, ref); s.contains(u, Key(u)) != want {
						t.Errorf("contains(%s) = %v", ref, !want)
					}
				}
			}
		})
	}
}

func TestScopeMoves(t *testing.T) {
	for _, c := range []struct{ name, start, to, in, out string }{
		{"folder without its slash", "http://a.example/docs", "http://a.example/docs/", "http://a.example/docs/x", "http://a.example/blog"},
		{"another host of the site", "http://a.example/docs/", "https://www.a.example/docs/", "https://www.a.example/docs/x", "http://a.example/docs/x"},
		{"deeper on another host", "http://a.example/docs/", "https://www.a.example/docs/en/", "https://www.a.example/docs/fr/", "https://www.a.example/blog/"},
		{"deeper on the same host", "http://a.example/", "http://a.example/en/latest/", "http://a.example/fr/", "http://b.example/"},
		{"sideways on the same host", "http://a.example/old/", "http://a.example/new/", "http://a.example/new/x", "http://a.example/old/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScope(knowledge.ScopeTree, web(t, c.start)).moved(web(t, c.to))
			if u := web(t, c.in); !s.contains(u, Key(u)) {
				t.Errorf("%s is outside", c.in)
			}
			if u := web(t, c.out); s.contains(u, Key(u)) {
				t.Errorf("%s is inside", c.out)
			}
			spec := knowledge.CrawlSpec{Start: c.start, Done: []string{Key(web(t, c.start)), Key(web(t, c.to))}}
			again := newScope(knowledge.ScopeTree, web(t, c.start)).recalled(spec)
			if u := web(t, c.in); !again.contains(u, Key(u)) {
				t.Errorf("%s is outside of the continued crawl", c.in)
			}
		})
	}
}

func web(t *testing.T, ref string) *url.URL {
	t.Helper()
	u, err := fetch.Parse(nil, ref)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestEndless(t *testing.T) {
	for path, want := range map[string]bool{
		"/a/b/c/": false, "/docs/docs/x": false, "/a/a/a/a/": true, "/a/b/a/b/a/b/a/b": true, "/1/2/3/4/5": false, "//////": false,
	} {
		if got := endless(&url.URL{Path: path}); got != want {
			t.Errorf("endless(%s) = %v", path, got)
		}
	}
}
