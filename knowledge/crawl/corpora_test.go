package crawl_test

import (
	"os"
	"path/filepath"
	"testing"

	"footnote/knowledge"
	"footnote/test/siteserver"
)

// corpus is a documentation tree below the folder that FOOTNOTE_CORPORA names, into which
// Debian packages have been unpacked.
func corpus(tb testing.TB, tree string) string {
	tb.Helper()
	root := os.Getenv("FOOTNOTE_CORPORA")
	if root == "" {
		tb.Skip("FOOTNOTE_CORPORA is not set")
	}
	return filepath.Join(root, "usr/share/doc", tree)
}

// BenchmarkCrawl fetches and extracts the whole PostgreSQL manual.
func BenchmarkCrawl(b *testing.B) {
	s := newSite(b, siteserver.Config{Mounts: []siteserver.Mount{{At: "/pg/", Dir: corpus(b, "postgresql-doc-15/html")}}})
	pages := 0
	for b.Loop() {
		for v, err := range s.crawler.Pages(b.Context(), knowledge.CrawlSpec{Start: s.url + "/pg/index.html", Robots: true, MaxPages: 5000}) {
			if err != nil {
				b.Fatal(err)
			}
			if v.Outcome == knowledge.Fetched {
				pages++
			}
		}
	}
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64(pages)/float64(b.N), "pages")
}
