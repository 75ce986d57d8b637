package crawl

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func squeezed(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSitemap(t *testing.T) {
	file := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata/sitemaps", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	two := []string{"http://www.domain.com/page1.html", "http://www.domain.com/page2.html"}
	vacations := []string{
		"http://www.example.com/", "http://www.example.com/catalog?item=12&desc=vacation_hawaii",
		"http://www.example.com/catalog?item=73&desc=vacation_new_zealand", "http://www.example.com/catalog?item=74&desc=vacation_newfoundland",
		"http://www.example.com/catalog?item=83&desc=vacation_usa",
	}
	const set = `<urlset><url><loc>http://a.example/1</loc></url></urlset>`
	one := []string{"http://a.example/1"}
	for _, c := range []struct {
		name        string
		body        []byte
		pages, maps []string
	}{
		{"text", file("sitemap.txt"), two, nil},
		{"text with byte order mark", file("sitemap-with-bom.txt"), two, nil},
		{"text, compressed", squeezed(t, file("sitemap.txt")), two, nil},
		{"xml, compressed", file("xmlSitemap.gz"), vacations, nil},
		{"foreign namespace", file("sitemap.badns.xml"), []string{"http://www.example.com/1", "http://www.example.com/2"}, nil},
		{"prefixes", file("sitemap.ns.xml"), []string{"http://www.example.com/1", "http://www.example.com/2"}, nil},
		{"images are not pages", file("extension/sitemap-images.xml"), []string{"http://www.example.com/images/some_image_landing_page.html"}, nil},
		{"mobile", file("extension/sitemap-mobile.xml"), []string{"http://www.example.com/mobile-friendly-1/", "http://www.example.com/mobile-friendly-2/", "http://www.example.com/no-mobile/"}, nil},
		{"index without loc", file("sitemap.index.xml")[:300], nil, []string{"https://example.com/sitemap.jss?portalCode=10260&lang=en", "https://example.com/sitemap.jss?portalCode=2&lang=en"}},
		{"index", []byte(`<sitemapindex><sitemap><loc> /s.xml </loc></sitemap></sitemapindex>`), nil, []string{"/s.xml"}},
		{"plain xml", []byte(set), one, nil},
		{"compressed twice", squeezed(t, squeezed(t, []byte(set))), one, nil},
		{"garbage before the prolog", []byte("\n\n warning: x\n<?xml version='1.0'?>" + set), one, nil},
		{"byte order mark and xml", []byte("\ufeff<?xml version='1.0'?>" + set), one, nil},
		{"cdata", []byte(`<urlset><url><loc><![CDATA[http://a.example/1?a=1&b=2]]></loc></url></urlset>`), []string{"http://a.example/1?a=1&b=2"}, nil},
		{"bare ampersand", []byte(`<urlset><url><loc>http://a.example/1?a=1&b=2</loc></url></urlset>`), []string{"http://a.example/1?a=1&b=2"}, nil},
		{"entities", []byte(`<urlset><url><loc>http://a.example/1?a=1&amp;b=2&#38;c</loc></url></urlset>`), []string{"http://a.example/1?a=1&b=2&c"}, nil},
		{"capitals", []byte(`<URLSET><URL><LOC>http://a.example/1</LOC></URL></URLSET>`), one, nil},
		{"broken off", []byte(set[:len(set)-len("</url></urlset>")] + "</url><url><loc>http://a.exam"), one, nil},
		{"latin-1", []byte("<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>http://a.example/\xe9</loc></url></urlset>"), []string{"http://a.example/é"}, nil},
		{"broken gzip", squeezed(t, []byte(set))[:15], nil, nil},
		{"a page instead", []byte("<!doctype html><html><a href=x>y</a>"), nil, nil},
		{"nothing", nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parseSitemap(c.body)
			if d := cmp.Diff(sitemap{c.pages, c.maps}, got, cmp.AllowUnexported(sitemap{}), cmpopts.EquateEmpty()); d != "" {
				t.Error("(-want +got):", d)
			}
		})
	}
}

func TestSitemapIsBounded(t *testing.T) {
	many := "<urlset>" + strings.Repeat("<url><loc>http://a.example/</loc></url>", maxSitemapURLs+10)
	if got := parseSitemap([]byte(many)); len(got.pages) != maxSitemapURLs {
		t.Errorf("%d pages", len(got.pages))
	}
	text := strings.Repeat("http://a.example/\n", maxSitemapURLs+10)
	if got := parseSitemap([]byte(text)); len(got.pages) != maxSitemapURLs {
		t.Errorf("%d pages of text", len(got.pages))
	}
}

func FuzzSitemap(f *testing.F) {
	err := filepath.Walk("testdata/sitemaps", func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		f.Add(b)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := parseSitemap(body)
		if len(got.pages)+len(got.maps) > maxSitemapURLs {
			t.Fatalf("%d addresses", len(got.pages)+len(got.maps))
		}
	})
}
