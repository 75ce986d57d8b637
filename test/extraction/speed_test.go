package extraction

import (
	"net/url"
	"os"
	"testing"

	"footnote/knowledge/chunk"
	"footnote/knowledge/extract"
)

// BenchmarkPostgreSQL extracts the PostgreSQL tree, one page an operation.
func BenchmarkPostgreSQL(b *testing.B) {
	var bodies [][]byte
	for _, path := range tree(b, Corpora()[0]) {
		body, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	base := &url.URL{Scheme: "http", Host: "docs.test", Path: "/docs/page.html"}
	b.Run("extract", func(b *testing.B) { benchmark(b, bodies, base, false) })
	b.Run("extract and chunk", func(b *testing.B) { benchmark(b, bodies, base, true) })
}

func benchmark(b *testing.B, bodies [][]byte, base *url.URL, split bool) {
	size, i := 0, 0
	for b.Loop() {
		body := bodies[i%len(bodies)]
		i++
		size += len(body)
		doc, err := extract.HTML(body, base)
		if err != nil {
			b.Fatal(err)
		}
		if split {
			chunk.Split(doc.Title, doc.Markdown, doc.Headings)
		}
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64(size)/1e6/b.Elapsed().Seconds(), "MB/s")
}
