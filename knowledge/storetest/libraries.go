package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/knowledge"
)

func testLibraries(t *testing.T, open Open) {
	t.Run("created with the first page of a crawl", func(t *testing.T) {
		k := newKit(t, open, roomy())
		j := k.start("postgres", knowledge.JobCrawl)
		list, err := k.Libraries(t.Context())
		if err != nil || len(list) != 0 {
			t.Fatalf("a job alone made %v (%v), want no library", list, err)
		}
		k.publish(page(j, "a", "one", "two"))
		got, err := k.Library(t.Context(), "postgres")
		if err != nil {
			t.Fatal(err)
		}
		want := knowledge.Library{
			ID: "postgres", Title: "The postgres", Kind: knowledge.Docs, StartURL: j.Start, Scope: j.Scope, MaxPages: j.MaxPages,
			CheckedAt: instant(), Pages: 1, Chunks: 2,
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(knowledge.Library{}, "CreatedAt")); diff != "" {
			t.Errorf("library (-want +got):\n%s", diff)
		}
		if got.CreatedAt.IsZero() {
			t.Error("a library without the time it was created")
		}
	})
	t.Run("created by an added page without a start", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.publish(page(k.start("notes", knowledge.JobAdd), "a", "one"))
		got, err := k.Library(t.Context(), "notes")
		if err != nil {
			t.Fatal(err)
		}
		if got.StartURL != "" || got.MaxPages != 0 {
			t.Errorf("start %q and %d pages of a library that was never crawled", got.StartURL, got.MaxPages)
		}
	})
	t.Run("a later crawl moves the start when it stores a page", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "one")
		moved := job("go", knowledge.JobCrawl)
		moved.Start, moved.MaxPages = address("new/"), 7
		j, err := k.StartJob(t.Context(), moved)
		if err != nil {
			t.Fatal(err)
		}
		k.publish(visit(j, "new/", knowledge.Unfetched, knowledge.Refuse(knowledge.ConnectError, "no route")))
		if l, _ := k.Library(t.Context(), "go"); l.StartURL != address("") {
			t.Errorf("start %q after a failed page, want the old one", l.StartURL)
		}
		k.publish(page(j, "new/", "two"))
		if l, _ := k.Library(t.Context(), "go"); l.StartURL != address("new/") || l.MaxPages != 7 {
			t.Errorf("start %q and %d pages, want the new crawl's", l.StartURL, l.MaxPages)
		}
	})
	t.Run("listed by id, with what was updated", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("zoo", "one")
		k.fill("ant", "two", "three")
		err := k.UpdateLibrary(t.Context(), "zoo", func(l *knowledge.Library) {
			l.AutoInject, l.Nightly, l.Archived = true, true, true
			l.Title, l.StartURL = "ignored", "ignored"
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.Libraries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []knowledge.Library{
			{ID: "ant", Title: "The ant", Pages: 2, Chunks: 2},
			{ID: "zoo", Title: "The zoo", Pages: 1, Chunks: 1, AutoInject: true, Nightly: true, Archived: true},
		}
		ignore := cmpopts.IgnoreFields(knowledge.Library{}, "Kind", "StartURL", "Scope", "MaxPages", "CreatedAt", "CheckedAt")
		if diff := cmp.Diff(want, got, ignore); diff != "" {
			t.Errorf("libraries (-want +got):\n%s", diff)
		}
		if got[1].StartURL != address("") {
			t.Errorf("update reached the start: %q", got[1].StartURL)
		}
	})
	t.Run("an unknown id is refused with the nearest", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("postgres", "one")
		_, err := k.Library(t.Context(), "postgers")
		wantCode(t, err, knowledge.NotFound)
		if !strings.Contains(err.Error(), "postgres?") {
			t.Errorf("%q does not name postgres", err)
		}
		_, err = k.Library(t.Context(), "kubernetes")
		wantCode(t, err, knowledge.NotFound)
		if strings.Contains(err.Error(), "mean") {
			t.Errorf("%q names a library that is nothing like it", err)
		}
		wantCode(t, k.UpdateLibrary(t.Context(), "nope", func(*knowledge.Library) {}), knowledge.NotFound)
		wantCode(t, k.DeleteLibrary(t.Context(), "nope"), knowledge.NotFound)
	})
	t.Run("delete takes everything of one library and nothing of another", testDelete(open))
	t.Run("delete is refused while a job runs", func(t *testing.T) {
		k := newKit(t, open, roomy())
		k.fill("go", "gopher")
		j := k.start("go", knowledge.JobRefresh)
		wantCode(t, k.DeleteLibrary(t.Context(), "go"), knowledge.CrawlOwnsLibrary)
		if got := k.search("gopher"); len(got) != 1 {
			t.Errorf("found %v after a refused delete", got)
		}
		k.finish(j)
		if err := k.DeleteLibrary(t.Context(), "go"); err != nil {
			t.Errorf("delete after the job ended: %v", err)
		}
	})
}

func testDelete(open Open) func(t *testing.T) {
	return func(t *testing.T) {
		k := newKit(t, open, roomy())
		gone := k.fill("go", "gopher", "channel")
		kept := k.fill("rust", "crab gopher")
		ids, err := k.Rank(t.Context(), knowledge.Query{Text: "channel"})
		if err != nil || len(ids) != 1 {
			t.Fatalf("rank = %v, %v", ids, err)
		}
		turn := knowledge.Turn{
			Conversation: "c", Question: "q", Outcome: "extractive", At: instant(), Latency: time.Second,
			Passages: []knowledge.Citation{{Library: "go", Title: "Go"}, {Library: "rust", Title: "Rust"}},
		}
		if err := k.SaveTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
		if err := k.DeleteLibrary(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}

		_, err = k.Library(t.Context(), "go")
		wantCode(t, err, knowledge.NotFound)
		if got := k.search("gopher channel"); !cmp.Equal(got, []string{address("p0")}) {
			t.Errorf("search finds %v, want the page of rust", got)
		}
		if hits, err := k.Hits(t.Context(), []int64{ids[0].Chunk}); err != nil || len(hits) != 0 {
			t.Errorf("hits of a deleted chunk = %v, %v", hits, err)
		}
		if visits, err := k.Visits(t.Context(), "go"); err != nil || len(visits) != 0 {
			t.Errorf("visits = %v, %v", visits, err)
		}
		_, err = k.LatestJob(t.Context(), "go")
		wantCode(t, err, knowledge.NotFound)
		if done, pending, err := k.Frontier(t.Context(), gone.ID); err != nil || len(done)+len(pending) != 0 {
			t.Errorf("frontier = %v, %v, %v", done, pending, err)
		}
		if latest, err := k.LatestTurn(t.Context(), "c"); err != nil || len(latest.Passages) != 1 || latest.Passages[0].Library != "rust" {
			t.Errorf("turn keeps passages %v (%v), want that of rust alone", latest.Passages, err)
		}
		if j, err := k.Job(t.Context(), kept.ID); err != nil || j.New != 1 {
			t.Errorf("job of the other library = %+v, %v", j, err)
		}

		k.fill("go", "second life")
		again, err := k.Rank(t.Context(), knowledge.Query{Text: "life"})
		if err != nil || len(again) != 1 {
			t.Fatalf("rank = %v, %v", again, err)
		}
		if again[0].Chunk>>32 == ids[0].Chunk>>32 {
			t.Errorf("chunk %d has the number of the deleted library", again[0].Chunk)
		}
	}
}
