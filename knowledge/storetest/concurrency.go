package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"footnote/knowledge"
)

// testConcurrency publishes a page over and over, each version with its number in
// every chunk, while readers look: what they read must be of one version.
func testConcurrency(t *testing.T, open Open) {
	const versions, chunks = 150, 6
	k := newKit(t, open, roomy())
	j := k.start("go", knowledge.JobCrawl)
	version := func(n int) knowledge.Publication {
		paragraphs := make([]string, chunks)
		for i := range paragraphs {
			paragraphs[i] = fmt.Sprintf("apple version%d part%d", n, i)
		}
		return page(j, "a", paragraphs...)
	}
	k.publish(version(0))
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				if fault := readVersion(k, chunks); fault != "" {
					t.Error(fault)
					return
				}
			}
		})
	}
	for n := 1; n < versions; n++ {
		k.publish(version(n))
	}
	done.Store(true)
	readers.Wait()
}

// readVersion says what is wrong with what one reader sees, nothing when all is well.
func readVersion(k kit, chunks int) string {
	p, err := k.Page(k.t.Context(), "go", address("a"))
	if err != nil {
		return err.Error()
	}
	first := strings.Fields(p.Markdown)[1]
	if strings.Count(p.Markdown, first+" ") != chunks {
		return fmt.Sprintf("a page of two versions: %q", p.Markdown)
	}
	found, err := k.Rank(k.t.Context(), knowledge.Query{Text: "apple"})
	if err != nil {
		return err.Error()
	}
	if len(found) != chunks {
		return fmt.Sprintf("ranked %d chunks, want %d", len(found), chunks)
	}
	ids := make([]int64, len(found))
	for i, s := range found {
		ids[i] = s.Chunk
	}
	hits, err := k.Hits(k.t.Context(), ids)
	if err != nil {
		return err.Error()
	}
	// The page may have been replaced since it was ranked: then all of it is away.
	if len(hits) != 0 && len(hits) != chunks {
		return fmt.Sprintf("%d of %d chunks are there", len(hits), chunks)
	}
	for _, h := range hits {
		if strings.Fields(h.Text)[1] != strings.Fields(hits[0].Text)[1] {
			return fmt.Sprintf("chunks of two versions: %q and %q", hits[0].Text, h.Text)
		}
	}
	return ""
}
