package siteserver

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// listed is a page that a sitemap names.
type listed struct {
	path string
	mod  time.Time
}

// list finds the HTML pages under a mount.
func list(m Mount) ([]listed, error) {
	root, err := filepath.EvalSymlinks(m.Dir)
	if err != nil {
		return nil, err
	}
	var out []listed
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".html", ".htm", ".xhtml"}, filepath.Ext(name)) {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out = append(out, listed{path.Join("/", m.At, filepath.ToSlash(rel)), info.ModTime()})
		return nil
	})
	return out, err
}

func (s *Server) robots(w *recorder, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch s.cfg.Robots {
	case "":
		w.WriteHeader(http.StatusNotFound)
	case "auto":
		put(w, "User-agent: *\nAllow: /\n")
		if s.cfg.Sitemap != "" {
			put(w, "\nSitemap: "+s.base(r)+"/sitemap.xml\n")
		}
	default:
		put(w, strings.ReplaceAll(s.cfg.Robots, "{base}", s.base(r)))
	}
}

// sitemap answers /sitemap.xml, and /sitemap-N.xml or .xml.gz where that is an index.
func (s *Server) sitemap(w *recorder, r *http.Request) {
	chunk, ext := s.cfg.SitemapChunk, ".xml"
	if s.cfg.Sitemap == "gzip" {
		ext = ".xml.gz"
	}
	var body []byte
	switch {
	case r.URL.Path == "/sitemap.xml" && s.cfg.Sitemap == "flat":
		body = s.sitemapXML(r, "urlset", "url", s.pages)
	case r.URL.Path == "/sitemap.xml":
		var kids []listed
		for i := 0; i*chunk < len(s.pages); i++ {
			kids = append(kids, listed{path: fmt.Sprintf("/sitemap-%d%s", i, ext)})
		}
		body = s.sitemapXML(r, "sitemapindex", "sitemap", kids)
	default:
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/sitemap-%d", &i); err != nil || i < 0 || i*chunk >= len(s.pages) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body = s.sitemapXML(r, "urlset", "url", s.pages[i*chunk:min(len(s.pages), (i+1)*chunk)])
	}
	w.Header().Set("Content-Type", "application/xml")
	if strings.HasSuffix(r.URL.Path, ".gz") {
		w.Header().Set("Content-Type", "application/gzip")
		body = zip(body)
	}
	put(w, string(body))
}

func (s *Server) sitemapXML(r *http.Request, root, item string, pages []listed) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s<%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", xml.Header, root)
	for _, p := range pages {
		fmt.Fprintf(&b, "<%s><loc>", item)
		_ = xml.EscapeText(&b, []byte(s.base(r)+p.path)) // memory: cannot fail
		b.WriteString("</loc>")
		if !p.mod.IsZero() {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", p.mod.UTC().Format(time.RFC3339))
		}
		fmt.Fprintf(&b, "</%s>\n", item)
	}
	fmt.Fprintf(&b, "</%s>\n", root)
	return b.Bytes()
}
