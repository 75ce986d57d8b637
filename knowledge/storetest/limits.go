package storetest

import (
	"fmt"
	"strings"
	"testing"

	"footnote/knowledge"
)

func testLimits(t *testing.T, open Open) {
	t.Run("crawls at one time", func(t *testing.T) {
		k := newKit(t, open, Limits{MaxLibraries: 10, MaxPages: 10, MaxRunning: 2})
		first := k.start("a", knowledge.JobCrawl)
		k.start("b", knowledge.JobRefresh)
		_, err := k.StartJob(t.Context(), job("c", knowledge.JobCrawl))
		wantCode(t, err, knowledge.ResourceLimit)
		k.start("c", knowledge.JobAdd)
		k.finish(first)
		k.start("d", knowledge.JobCrawl)
	})
	t.Run("libraries, archived and coming ones included", func(t *testing.T) {
		k := newKit(t, open, Limits{MaxLibraries: 2, MaxPages: 10, MaxRunning: 5})
		k.fill("a", "apple")
		if err := k.UpdateLibrary(t.Context(), "a", func(l *knowledge.Library) { l.Archived = true }); err != nil {
			t.Fatal(err)
		}
		coming := k.start("b", knowledge.JobCrawl)
		_, err := k.StartJob(t.Context(), job("c", knowledge.JobCrawl))
		wantCode(t, err, knowledge.LibraryLimit)
		k.publish(page(coming, "x", "banana"))
		k.finish(coming)
		_, err = k.StartJob(t.Context(), job("c", knowledge.JobAdd))
		wantCode(t, err, knowledge.LibraryLimit)
		k.finish(k.start("a", knowledge.JobRefresh))
		if err := k.DeleteLibrary(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		k.start("c", knowledge.JobCrawl)
	})
	t.Run("pages of a library", func(t *testing.T) {
		k := newKit(t, open, Limits{MaxLibraries: 2, MaxPages: 3, MaxRunning: 5})
		j := k.start("a", knowledge.JobCrawl)
		for i := range 3 {
			k.publish(page(j, fmt.Sprint(i), "apple"))
		}
		_, err := k.Publish(t.Context(), page(j, "3", "banana"))
		wantCode(t, err, knowledge.ResourceLimit)
		if got := k.search("banana"); len(got) != 0 {
			t.Errorf("search finds the refused page %v", got)
		}
		if c := k.counts(j.ID); c.New != 3 {
			t.Errorf("counts = %+v, want 3 new", c)
		}
		if stored := k.publish(page(j, "2", "cherry")); stored != knowledge.StoredChanged {
			t.Errorf("replacing a page of a full library: %q", stored)
		}
	})
	t.Run("storage", func(t *testing.T) {
		k := newKit(t, open, Limits{MaxLibraries: 5, MaxPages: 500, MaxRunning: 5, Quota: 2 << 20})
		used, quota, err := k.Usage(t.Context())
		if err != nil || used <= 0 || quota != 2<<20 {
			t.Fatalf("usage = %d of %d, %v", used, quota, err)
		}
		j := k.start("a", knowledge.JobCrawl)
		text := strings.Repeat("the quick brown fox jumps over the lazy dog ", 700)
		stored := 0
		for ; ; stored++ {
			if stored > 400 {
				t.Fatal("400 pages of 30 kB did not fill 2 MiB")
			}
			if _, err = k.Publish(t.Context(), page(j, fmt.Sprint(stored), text)); err != nil {
				break
			}
		}
		wantCode(t, err, knowledge.StorageFull)
		if stored < 5 {
			t.Errorf("full after %d pages", stored)
		}
		if l, err := k.Library(t.Context(), "a"); err != nil || l.Pages != stored {
			t.Errorf("library has %d pages (%v), want %d", l.Pages, err, stored)
		}
		if used, _, _ := k.Usage(t.Context()); used > 2<<20 {
			t.Errorf("%d bytes in use, above the quota", used)
		}
		// What is stored already can still be looked at.
		if got := k.publish(page(j, "0", text)); got != knowledge.StoredUnchanged {
			t.Errorf("an unchanged page in a full store: %q", got)
		}
		k.finish(j)
		if err := k.DeleteLibrary(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		after, _, err := k.Usage(t.Context())
		if err != nil || after > used+used/2 {
			t.Errorf("%d bytes in use after the delete (%v), %d before the crawl", after, err, used)
		}
		k.fill("b", "apple")
	})
}
