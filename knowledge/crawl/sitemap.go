package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"footnote/knowledge"
)

const (
	maxSitemapBytes = 50 << 20 // of one sitemap, as the protocol has it
	maxSitemapURLs  = 50_000   // of all sitemaps of a crawl together
	maxSitemapFiles = 100
	maxSitemapDepth = 3 // indexes of indexes
	maxSitemapText  = 8 << 10
)

// sitemap is what one file lists.
type sitemap struct {
	pages []string // as written
	maps  []string // further sitemaps, of an index
}

// parseSitemap reads a sitemap or an index of them: XML, or text with an address a
// line, either of them compressed once or twice over whatever its name says. It is as
// lenient as it can: namespaces do not matter, nor does what stands before the XML,
// and of a broken file everything before the break counts.
func parseSitemap(body []byte) sitemap {
	for range 2 {
		if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			break
		}
		zr, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return sitemap{}
		}
		// An error leaves what came before it.
		body, _ = io.ReadAll(io.LimitReader(zr, maxSitemapBytes))
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if wide := bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff}); wide {
		if e, _, _ := charset.DetermineEncoding(body, ""); e != nil {
			if text, err := e.NewDecoder().Bytes(body); err == nil {
				body = text
			}
		}
	}
	if i := bytes.IndexByte(body, '<'); i >= 0 && !bytes.HasPrefix(bytes.TrimSpace(body), []byte("http")) {
		return xmlSitemap(body[i:])
	}
	return textSitemap(body)
}

func xmlSitemap(body []byte) sitemap {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict, d.Entity, d.CharsetReader = false, xml.HTMLEntity, charset.NewReaderLabel
	var (
		out  sitemap
		path []string // of open elements
		text strings.Builder
	)
	for len(out.pages)+len(out.maps) < maxSitemapURLs {
		token, err := d.RawToken()
		if err != nil { // the end, or a break: what there is counts
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, strings.ToLower(t.Name.Local))
			text.Reset()
		case xml.CharData:
			if text.Len() < maxSitemapText {
				text.Write(t)
			}
		case xml.EndElement:
			if len(path) > 0 {
				out.element(path, strings.TrimSpace(text.String()))
				path = path[:len(path)-1]
			}
			text.Reset()
		}
	}
	return out
}

// element takes the text of an element: a <loc>, or an address that stands in its
// <url> or <sitemap> without one.
func (s *sitemap) element(path []string, text string) {
	place := path[len(path)-1]
	if place == "loc" && len(path) > 1 {
		place = path[len(path)-2]
	}
	switch {
	case text == "":
	case place == "url":
		s.pages = append(s.pages, text)
	case place == "sitemap":
		s.maps = append(s.maps, text)
	}
}

func textSitemap(body []byte) sitemap {
	var out sitemap
	if !utf8.Valid(body) {
		return out
	}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSpace(line)
		if len(out.pages) >= maxSitemapURLs {
			break
		}
		if strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") {
			out.pages = append(out.pages, line)
		}
	}
	return out
}

// discover reads the sitemaps of the start address's host and gives the keys of those
// addresses that lie in the crawl's scope: from the sitemaps that robots.txt names, or
// else from the first of the usual places that has any. What cannot be read is left
// out: a sitemap is a help, not a promise.
func (r *run) discover(ctx context.Context) []string {
	start, err := url.Parse(r.scope.start)
	if err != nil {
		return nil
	}
	d := discovery{run: r, been: map[string]bool{}, seen: map[string]bool{}}
	rules, refusal, err := r.hosts.robots(ctx, start, r.spec.Delay, r.began.Add(-robotsFresh))
	if err != nil || refusal != nil && r.spec.Robots {
		return nil
	}
	for _, ref := range rules.sitemaps {
		d.read(ctx, start, ref, 0)
	}
	for _, guess := range []string{"/sitemap.xml", "/sitemap_index.xml", "/docs/sitemap.xml"} {
		if len(d.keys) > 0 {
			break
		}
		d.read(ctx, start, guess, 0)
	}
	return d.keys
}

// discovery is the reading of a host's sitemaps.
type discovery struct {
	*run
	been map[string]bool // sitemaps
	seen map[string]bool // pages
	keys []string
}

// read takes one sitemap and those that it names.
func (d *discovery) read(ctx context.Context, base *url.URL, ref string, depth int) {
	u, key, err := resolve(base, ref)
	if err != nil || d.been[key] || depth > maxSitemapDepth || len(d.been) >= maxSitemapFiles || ctx.Err() != nil {
		return
	}
	d.been[key] = true
	if !d.permits(ctx, u) {
		return
	}
	resp, err := d.hosts.raw(ctx, u, d.delay(ctx, u), maxSitemapBytes, func(to *url.URL) error {
		if !d.permits(ctx, to) {
			return knowledge.Refuse(knowledge.RobotsDisallowed, "robots.txt of %s disallows the sitemap %s", to.Host, to.Path)
		}
		return nil
	})
	if err != nil {
		d.log.DebugContext(ctx, "sitemap not read", "url", u.String(), "error", err)
		return
	}
	list := parseSitemap(resp.Body)
	for _, page := range list.pages {
		to, key, err := resolve(u, page)
		if err != nil || d.seen[key] || !d.scope.contains(to, key) || len(d.keys) >= maxSitemapURLs {
			continue
		}
		d.seen[key] = true
		d.keys = append(d.keys, key)
	}
	for _, next := range list.maps {
		if to, err := url.Parse(next); err == nil && (to.Host == "" || site(to) == site(u)) {
			d.read(ctx, u, next, depth+1)
		}
	}
}

// permits says whether robots.txt lets a sitemap be read.
func (d *discovery) permits(ctx context.Context, u *url.URL) bool {
	if !d.spec.Robots {
		return true
	}
	rules, refusal, err := d.hosts.robots(ctx, u, d.spec.Delay, d.began.Add(-robotsFresh))
	return err == nil && refusal == nil && rules.allows(u.RequestURI())
}

// delay is the pace of a host that has been asked for its robots.txt.
func (d *discovery) delay(ctx context.Context, u *url.URL) time.Duration {
	if !d.spec.Robots {
		return d.spec.Delay
	}
	rules, _, err := d.hosts.robots(ctx, u, d.spec.Delay, d.began.Add(-robotsFresh))
	if err != nil {
		return d.spec.Delay
	}
	return max(d.spec.Delay, rules.delay)
}
