package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/sqlite"
)

// BenchmarkPublish stores pages of four chunks of about a thousand characters in the
// words of a vocabulary as uneven as a language's.
func BenchmarkPublish(b *testing.B) {
	db := open(b, sqlite.Options{MaxPages: 1 << 30, Quota: 1 << 40})
	j, err := db.StartJob(b.Context(), knowledge.Job{Library: "bench", Kind: knowledge.JobCrawl, Owner: "me", LeaseUntil: time.Now().Add(time.Hour)})
	if err != nil {
		b.Fatal(err)
	}
	write := writer()
	n := 0
	for b.Loop() {
		if _, err := db.Publish(b.Context(), written(j, n, write)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "pages/s")
	if used, _, err := db.Usage(b.Context()); err == nil {
		b.ReportMetric(float64(used)/float64(4*n), "bytes/chunk")
	}
}

// BenchmarkRank asks questions of two and of five words of 20,000 chunks.
func BenchmarkRank(b *testing.B) {
	db := open(b, sqlite.Options{MaxPages: 1 << 30, Quota: 1 << 40})
	j, err := db.StartJob(b.Context(), knowledge.Job{Library: "bench", Kind: knowledge.JobCrawl, Owner: "me", LeaseUntil: time.Now().Add(time.Hour)})
	if err != nil {
		b.Fatal(err)
	}
	write := writer()
	for n := range 5000 {
		if _, err := db.Publish(b.Context(), written(j, n, write)); err != nil {
			b.Fatal(err)
		}
	}
	for _, words := range []int{2, 5} {
		b.Run(fmt.Sprint(words, " words"), func(b *testing.B) {
			for b.Loop() {
				if _, err := db.Rank(b.Context(), knowledge.Query{Text: write(words), Libraries: []string{"bench"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// writer gives texts of so many words by Zipf's law.
func writer() func(words int) string {
	source := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(source, 1.1, 4, 50000)
	return func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		return b.String()
	}
}

func written(j knowledge.Job, n int, write func(words int) string) knowledge.Publication {
	url := fmt.Sprintf("https://docs.example/%d.html", n)
	p := knowledge.Publication{
		Job:     j,
		Visited: knowledge.Visited{Requested: url, URL: url, Outcome: knowledge.Fetched, At: time.Now()},
		Page:    knowledge.Page{Library: j.Library, URL: url, Title: write(4), Lang: "en", Digest: url},
	}
	for i := range 4 {
		text := write(220)
		p.Chunks = append(p.Chunks, knowledge.Chunk{Ordinal: i, Path: []string{p.Page.Title, write(3)}, Text: text})
		p.Page.Markdown += text + "\n\n"
	}
	for i := range 10 {
		p.Visited.Found = append(p.Visited.Found, knowledge.Pending{URL: fmt.Sprintf("https://docs.example/%d.html", 10*n+i), Depth: 1})
	}
	return p
}
