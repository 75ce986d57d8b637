package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/knowledge"
)

func testPublish(t *testing.T, open Open) {
	t.Run("a page comes back as it was published", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		p := page(j, "a", "one", "two")
		p.Visited.LastModified = "Mon, 02 Mar 2026 00:00:00 GMT"
		if stored := k.publish(p); stored != knowledge.StoredNew {
			t.Errorf("stored = %q, want new", stored)
		}
		got, err := k.Page(t.Context(), "go", address("a"))
		if err != nil {
			t.Fatal(err)
		}
		want := p.Page
		want.ChangedAt = instant()
		want.Visit = knowledge.Visit{ETag: `"1"`, LastModified: p.Visited.LastModified, CheckedAt: instant()}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(knowledge.Page{}, "ID")); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
		visits, err := k.Visits(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]knowledge.Visit{address("a"): want.Visit}, visits); diff != "" {
			t.Errorf("visits (-want +got):\n%s", diff)
		}
	})
	t.Run("hits carry chunk and page in the order asked", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		p := page(j, "a", "one", "two")
		p.Chunks[0].Path = nil
		k.publish(p)
		first, err := k.Rank(t.Context(), knowledge.Query{Text: "one"})
		if err != nil || len(first) != 1 {
			t.Fatalf("rank = %v, %v", first, err)
		}
		second, err := k.Rank(t.Context(), knowledge.Query{Text: "two"})
		if err != nil || len(second) != 1 {
			t.Fatalf("rank = %v, %v", second, err)
		}
		got, err := k.Hits(t.Context(), []int64{second[0].Chunk, 1, first[0].Chunk})
		if err != nil {
			t.Fatal(err)
		}
		hit := func(c knowledge.Chunk, id int64) knowledge.Hit {
			c.ID = id
			return knowledge.Hit{Chunk: c, Library: "go", PageTitle: "Page a", PageURL: address("a"), Lang: "en", CheckedAt: instant()}
		}
		want := []knowledge.Hit{hit(p.Chunks[1], second[0].Chunk), hit(p.Chunks[0], first[0].Chunk)}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(knowledge.Chunk{}, "PageID")); diff != "" {
			t.Errorf("hits (-want +got):\n%s", diff)
		}
		if none, err := k.Hits(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("hits of nothing = %v, %v", none, err)
		}
	})
	t.Run("a changed page is replaced under new chunk ids", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("go", knowledge.JobCrawl)
		k.publish(page(j, "a", "apple", "banana"))
		before, _ := k.Page(t.Context(), "go", address("a"))
		old, _ := k.Rank(t.Context(), knowledge.Query{Text: "apple"})
		k.finish(j)
		j = k.start("go", knowledge.JobRefresh)
		if stored := k.publish(page(j, "a", "cherry")); stored != knowledge.StoredChanged {
			t.Errorf("stored = %q, want replaced", stored)
		}
		if got := k.search("apple banana"); len(got) != 0 {
			t.Errorf("the old words still find %v", got)
		}
		if got := k.search("cherry"); !cmp.Equal(got, []string{address("a")}) {
			t.Errorf("the new word finds %v", got)
		}
		if hits, _ := k.Hits(t.Context(), []int64{old[0].Chunk}); len(hits) != 0 {
			t.Errorf("the old chunk's id gives %v", hits)
		}
		after, _ := k.Page(t.Context(), "go", address("a"))
		if after.ID != before.ID || after.Markdown == before.Markdown {
			t.Errorf("page %d with %q became page %d with %q", before.ID, before.Markdown, after.ID, after.Markdown)
		}
		if l, _ := k.Library(t.Context(), "go"); l.Pages != 1 || l.Chunks != 1 {
			t.Errorf("library counts %d pages, %d chunks, want 1 and 1", l.Pages, l.Chunks)
		}
		if diff := cmp.Diff(knowledge.Counts{Changed: 1, Chunks: 1}, k.counts(j.ID)); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	})
	t.Run("an unchanged page moves its visit alone", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple")
		before, _ := k.Page(t.Context(), "go", address("p0"))
		j := k.start("go", knowledge.JobRefresh)
		later := page(j, "p0", "apple")
		later.Visited.At = instant().Add(time.Hour)
		later.Visited.ETag = `"2"`
		if stored := k.publish(later); stored != knowledge.StoredUnchanged {
			t.Errorf("stored = %q, want unchanged", stored)
		}
		want := before
		want.Visit = knowledge.Visit{ETag: `"2"`, CheckedAt: instant().Add(time.Hour)}
		after, _ := k.Page(t.Context(), "go", address("p0"))
		if diff := cmp.Diff(want, after); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
		// A 304 says as much, and may leave the validators out.
		seen := visit(j, "p0", knowledge.NotModified, nil)
		seen.Visited.At = instant().Add(2 * time.Hour)
		if stored := k.publish(seen); stored != knowledge.StoredUnchanged {
			t.Errorf("stored = %q, want unchanged", stored)
		}
		want.CheckedAt = instant().Add(2 * time.Hour)
		after, _ = k.Page(t.Context(), "go", address("p0"))
		if diff := cmp.Diff(want, after); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
		if l, _ := k.Library(t.Context(), "go"); !l.CheckedAt.Equal(want.CheckedAt) {
			t.Errorf("library checked at %v, want %v", l.CheckedAt, want.CheckedAt)
		}
		if diff := cmp.Diff(knowledge.Counts{Unchanged: 1, Chunks: 1}, k.counts(j.ID)); diff != "" {
			t.Errorf("the page was met twice, counts (-want +got):\n%s", diff)
		}
	})
	t.Run("a failure leaves the good copy", func(t *testing.T) {
		for _, outcome := range []knowledge.Outcome{knowledge.Unfetched, knowledge.Skipped, knowledge.Excluded, knowledge.Redirected} {
			k := newKit(t, open, roomy())
			k.fill("go", "apple")
			j := k.start("go", knowledge.JobRefresh)
			if stored := k.publish(visit(j, "p0", outcome, knowledge.Refuse(knowledge.ConnectError, "down"))); stored != knowledge.StoredNothing {
				t.Errorf("%s: stored = %q, want nothing", outcome, stored)
			}
			if got := k.search("apple"); len(got) != 1 {
				t.Errorf("%s: search finds %v, want the page", outcome, got)
			}
		}
	})
	t.Run("every outcome has its counter and its line", testOutcomes(open))
	t.Run("an unknown page is refused", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple")
		_, err := k.Page(t.Context(), "go", address("nope"))
		wantCode(t, err, knowledge.PageNotIngested)
		_, err = k.Page(t.Context(), "nope", address("p0"))
		wantCode(t, err, knowledge.NotFound)
	})
}

func testOutcomes(open Open) func(t *testing.T) {
	return func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "apple", "banana")
		j := k.start("go", knowledge.JobRefresh)
		down := knowledge.Refuse(knowledge.ConnectError, "no answer from docs.example")
		robots := knowledge.Refuse(knowledge.RobotsDisallowed, "robots.txt disallows it")
		missing := knowledge.Refuse(knowledge.NotFound, "404")

		first := page(j, "new", "cherry")
		first.Visited.Requested = address("moved")
		first.Visited.Found = []knowledge.Pending{{URL: address("later"), Depth: 2}, {URL: address("soon"), Depth: 1}, {URL: address("p0"), Depth: 2}}
		first.Visited.Discovered = 9
		k.publish(first)
		k.publish(visit(j, "p0", knowledge.NotModified, nil))
		k.publish(page(j, "p1", "blueberry"))
		k.publish(visit(j, "old", knowledge.Redirected, nil))
		k.publish(visit(j, "index", knowledge.Excluded, knowledge.Refuse(knowledge.PageNotIngested, "links only")))
		k.publish(visit(j, "x", knowledge.Unfetched, down))
		k.publish(visit(j, "y", knowledge.Unfetched, down))
		k.publish(visit(j, "private", knowledge.Skipped, robots))
		k.publish(visit(j, "broken", knowledge.Vanished, missing))

		want := knowledge.Counts{
			New: 1, Changed: 1, Unchanged: 1, Redirects: 1, Excluded: 1, Failures: 3, Skipped: 1, Discovered: 9, Chunks: 3,
		}
		if diff := cmp.Diff(want, k.counts(j.ID)); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		done, pending, err := k.Frontier(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantDone := []string{"broken", "index", "moved", "new", "old", "p0", "p1", "private", "x", "y"}
		for i := range wantDone {
			wantDone[i] = address(wantDone[i])
		}
		if diff := cmp.Diff(wantDone, done, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Errorf("done (-want +got):\n%s", diff)
		}
		wantPending := []knowledge.Pending{{URL: address("soon"), Depth: 1}, {URL: address("later"), Depth: 2}}
		if diff := cmp.Diff(wantPending, pending); diff != "" {
			t.Errorf("pending (-want +got):\n%s", diff)
		}
		list, byCode, err := k.Failures(t.Context(), j.ID, 3)
		if err != nil {
			t.Fatal(err)
		}
		wantList := []knowledge.Failure{
			{URL: address("x"), Code: down.Code, Reason: down.Reason, At: instant()},
			{URL: address("y"), Code: down.Code, Reason: down.Reason, At: instant()},
			{URL: address("broken"), Code: missing.Code, Reason: missing.Reason, At: instant()},
		}
		if diff := cmp.Diff(wantList, list); diff != "" {
			t.Errorf("failures (-want +got):\n%s", diff)
		}
		wantCodes := map[knowledge.Code]int{knowledge.ConnectError: 2, knowledge.NotFound: 1, knowledge.RobotsDisallowed: 1}
		if diff := cmp.Diff(wantCodes, byCode); diff != "" {
			t.Errorf("by code (-want +got):\n%s", diff)
		}
	}
}
