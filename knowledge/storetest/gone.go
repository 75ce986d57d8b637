package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
)

func testGone(t *testing.T, open Open) {
	missing := knowledge.Refuse(knowledge.NotFound, "the page answers 410")
	// vanish has the page p0 answer 410 in a refresh of its own.
	vanish := func(k kit, at time.Time) knowledge.Job {
		j := k.start("go", knowledge.JobRefresh)
		p := visit(j, "p0", knowledge.Vanished, missing)
		p.Visited.At = at
		k.publish(p)
		k.publish(p) // a second look in the same job is not a second refresh
		k.finish(j)
		return j
	}
	t.Run("one refresh notes it, a second takes the page out", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple", "apple pie")
		j := vanish(k, instant().Add(time.Hour))
		if c := k.counts(j.ID); c.GonePages == 0 || c.Failures != 0 {
			t.Errorf("counts = %+v, want gone pages and no failure", c)
		}
		if got := k.search("apple"); len(got) != 2 {
			t.Errorf("after one refresh search finds %v, want both pages", got)
		}
		if gone, err := k.GonePages(t.Context(), "go"); err != nil || len(gone) != 0 {
			t.Errorf("gone pages after one refresh = %v, %v", gone, err)
		}
		before, _ := k.Rank(t.Context(), knowledge.Query{Text: "apple"})
		vanish(k, instant().Add(2*time.Hour))
		if got := k.search("apple"); !cmp.Equal(got, []string{address("p1")}) {
			t.Errorf("after two refreshes search finds %v, want the page that lives", got)
		}
		var ids []int64
		for _, s := range before {
			ids = append(ids, s.Chunk)
		}
		if hits, err := k.Hits(t.Context(), ids); err != nil || len(hits) != 1 {
			t.Errorf("hits of both pages' chunks = %v, %v, want one", hits, err)
		}
		counts, chunks, err := k.Frequencies(t.Context(), []string{"go"}, [][]string{forms("apple")})
		if err != nil || counts[0] != 1 || chunks != 1 {
			t.Errorf("frequencies = %v of %d (%v), want 1 of 1", counts, chunks, err)
		}
		gone, err := k.GonePages(t.Context(), "go")
		if err != nil || len(gone) != 1 || gone[0].URL != address("p0") || !gone[0].GoneSince.Equal(instant().Add(time.Hour)) {
			t.Errorf("gone pages = %+v, %v", gone, err)
		}
		if l, _ := k.Library(t.Context(), "go"); l.Gone != 1 || l.Pages != 2 {
			t.Errorf("library counts %d gone of %d pages, want 1 of 2", l.Gone, l.Pages)
		}
	})
	t.Run("a page that lives again comes back", func(t *testing.T) {
		for name, revive := range map[string]func(j knowledge.Job) knowledge.Publication{
			"unchanged": func(j knowledge.Job) knowledge.Publication { return page(j, "p0", "apple") },
			"by 304":    func(j knowledge.Job) knowledge.Publication { return visit(j, "p0", knowledge.NotModified, nil) },
			"changed":   func(j knowledge.Job) knowledge.Publication { return page(j, "p0", "apple tart") },
		} {
			k := newKit(t, open, roomy())
			k.fill("go", "apple")
			vanish(k, instant())
			vanish(k, instant())
			k.publish(revive(k.start("go", knowledge.JobRefresh)))
			if got := k.search("apple"); len(got) != 1 {
				t.Errorf("%s: search finds %v, want the page", name, got)
			}
			visits, _ := k.Visits(t.Context(), "go")
			if v := visits[address("p0")]; v.Gone || !v.GoneSince.IsZero() {
				t.Errorf("%s: visit still says gone: %+v", name, v)
			}
			if err := k.Maintain(t.Context(), instant()); err != nil {
				t.Errorf("%s: maintain: %v", name, err)
			}
			if got := k.search("apple"); len(got) != 1 {
				t.Errorf("%s: after maintenance search finds %v, want the page", name, got)
			}
		}
	})
	t.Run("a good answer between two refreshes begins anew", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple")
		vanish(k, instant())
		j := k.start("go", knowledge.JobRefresh)
		k.publish(visit(j, "p0", knowledge.NotModified, nil))
		k.finish(j)
		vanish(k, instant())
		if got := k.search("apple"); len(got) != 1 {
			t.Errorf("search finds %v, want the page", got)
		}
	})
	t.Run("an address that leads to one that is gone is gone", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple")
		for range 2 {
			j := k.start("go", knowledge.JobRefresh)
			p := visit(j, "p0", knowledge.Vanished, missing)
			p.Visited.URL = address("not-found")
			k.publish(p)
			k.finish(j)
		}
		if got := k.search("apple"); len(got) != 0 {
			t.Errorf("search finds %v, want nothing", got)
		}
	})
	t.Run("gone pages are removed by a command", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple", "banana")
		vanish(k, instant())
		vanish(k, instant())
		j := k.start("go", knowledge.JobRefresh)
		_, err := k.RemoveGone(t.Context(), "go")
		wantCode(t, err, knowledge.CrawlOwnsLibrary)
		k.finish(j)
		if n, err := k.RemoveGone(t.Context(), "go"); err != nil || n != 1 {
			t.Errorf("removed %d, %v, want 1", n, err)
		}
		if n, err := k.RemoveGone(t.Context(), "go"); err != nil || n != 0 {
			t.Errorf("removed %d more, %v", n, err)
		}
		if l, _ := k.Library(t.Context(), "go"); l.Pages != 1 || l.Chunks != 1 || l.Gone != 0 {
			t.Errorf("library = %+v, want one page of one chunk", l)
		}
		_, err = k.RemoveGone(t.Context(), "nope")
		wantCode(t, err, knowledge.NotFound)
		_, err = k.GonePages(t.Context(), "nope")
		wantCode(t, err, knowledge.NotFound)
	})
}
