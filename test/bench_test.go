package test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/test/siteserver"
)

// BenchmarkCrawl times the built program from nothing to a published, searchable
// library of the PostgreSQL manual, and wget --mirror of the same tree, in turn. Both
// are whole processes against the same server; wget only fetches and parses for links.
func BenchmarkCrawl(b *testing.B) {
	root := os.Getenv("FOOTNOTE_CORPORA")
	if root == "" {
		b.Skip("FOOTNOTE_CORPORA names no folder of documentation trees; make bench does")
	}
	if _, err := exec.LookPath("wget"); err != nil {
		b.Skip("wget is not installed")
	}
	s, err := siteserver.New(siteserver.Config{Mounts: []siteserver.Mount{{At: "/pg/", Dir: filepath.Join(root, "usr/share/doc/postgresql-doc-15/html")}}})
	if err != nil {
		b.Fatal(err)
	}
	srv := httptest.NewServer(s)
	b.Cleanup(srv.Close)
	var ours, theirs time.Duration
	pages, mirrored := 0, 0
	for b.Loop() {
		dir := b.TempDir()
		start := time.Now()
		crawlWhole(b, dir, srv.URL+"/pg/")
		ours += time.Since(start)
		pages += served(s, ".html")
		s.Reset()
		start = time.Now()
		mirror := exec.Command("wget", "--quiet", "--mirror", "--no-parent", "--directory-prefix", filepath.Join(dir, "mirror"), srv.URL+"/pg/")
		_ = mirror.Run() // status 8: some links of the tree lead to pages that it does not hold
		theirs += time.Since(start)
		mirrored += served(s, ".html")
		s.Reset()
	}
	our, their := float64(pages)/ours.Seconds(), float64(mirrored)/theirs.Seconds()
	b.ReportMetric(our, "pages/s")
	b.ReportMetric(their, "wget-pages/s")
	b.ReportMetric(our/their, "of-wget")
}

func crawlWhole(tb testing.TB, dir, url string) {
	tb.Helper()
	cmd := exec.Command(binary, "chat", "--json")
	cmd.Env = append(os.Environ(), "FOOTNOTE_DATA_DIR="+dir, "FOOTNOTE_CRAWL_DELAY=0", "FOOTNOTE_CRAWL_PAGE_CAP=5000", "FOOTNOTE_CRAWL_ALLOW_PRIVATE=127.0.0.1/32")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("/kb crawl pg %s 5000\n", url))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "crawl completed") && !strings.Contains(string(out), "with failures") {
		tb.Fatalf("crawl: %v\n%s", err, out)
	}
}

func served(s *siteserver.Server, suffix string) int {
	n := 0
	for _, h := range s.Hits() {
		if h.Status == 200 && (strings.HasSuffix(h.Path, suffix) || strings.HasSuffix(h.Path, "/")) {
			n++
		}
	}
	return n
}
