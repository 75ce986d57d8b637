package jobs_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"footnote/knowledge"
	"footnote/knowledge/index"
	"footnote/knowledge/jobs"
	"footnote/knowledge/sqlite"

	"github.com/google/go-cmp/cmp"
)

// book is a crawler over a book of chapters: the start links to all of them. It stops
// before chapter halt until that is opened, so that a test can act in the middle.
type book struct {
	chapters int
	halt     int
	opened   chan struct{}
	reached  chan struct{}

	mu      sync.Mutex
	fetched []string
}

func chapter(n int) string { return fmt.Sprintf("https://book.test/%d", n) }

func (b *book) Admit(context.Context, knowledge.CrawlSpec) error { return nil }

func (b *book) Pages(ctx context.Context, spec knowledge.CrawlSpec) iter.Seq2[knowledge.Visited, error] {
	return func(yield func(knowledge.Visited, error) bool) {
		for n := range b.chapters {
			url := chapter(n)
			if slices.Contains(spec.Done, url) {
				continue
			}
			if n == b.halt && b.opened != nil {
				close(b.reached)
				select {
				case <-b.opened:
				case <-ctx.Done():
					yield(knowledge.Visited{}, ctx.Err())
					return
				}
			}
			b.mu.Lock()
			b.fetched = append(b.fetched, url)
			b.mu.Unlock()
			v := knowledge.Visited{
				Requested: url, URL: url, Outcome: knowledge.Fetched, Title: url, Lang: "en",
				Markdown: "# Chapter\n\nThis is the text of " + url, At: time.Now(), Discovered: b.chapters,
			}
			if len(spec.Known) > 0 {
				v.Outcome, v.Markdown = knowledge.NotModified, ""
			}
			if n == 0 && len(spec.Done) == 0 {
				for i := 1; i < b.chapters; i++ {
					v.Found = append(v.Found, knowledge.Pending{URL: chapter(i), Depth: 1})
				}
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (b *book) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.fetched
	b.fetched = nil
	return taken
}

// install is a runner of one process over a real store.
type install struct {
	*jobs.Runner
	desk desk
	shut func()
}

func start(t *testing.T, db *sqlite.DB, b *book, process string) *install {
	in := &install{}
	in.Runner = jobs.New(jobs.Options{
		Store: db, Crawler: b, Publisher: index.New(db), Announce: in.desk.announce,
		Owner:    knowledge.Owner{Install: "i1", Host: "h1", Process: process},
		Defaults: jobs.Defaults{MaxPages: 200, PageCap: 1000, MaxDepth: 10, Scope: knowledge.ScopeTree},
		Log:      slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := in.Recover(ctx); err != nil {
			t.Error(err)
			return
		}
		if err := in.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	in.shut = func() { cancel(); wg.Wait() }
	t.Cleanup(in.shut)
	return in
}

func openStore(t *testing.T) *sqlite.DB {
	db, err := sqlite.Open(t.Context(), sqlite.Options{
		Path: filepath.Join(t.TempDir(), "knowledge.db"), Quota: 1 << 30, MaxLibraries: 500, MaxPages: 5000, MaxRunning: 4,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Over the real journal: a crawl that a shutdown cut is resumed where it stopped, then
// refreshed, and every outcome is told once with the journal's counts.
func TestInterruptedResumedRefreshed(t *testing.T) {
	db := openStore(t)
	b := &book{chapters: 6, halt: 3, opened: make(chan struct{}), reached: make(chan struct{})}
	first := start(t, db, b, "1@1")
	req := knowledge.CrawlRequest{Library: "The Book", URL: chapter(0), ReplyTo: "console:main"}
	if _, err := first.Start(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	<-b.reached
	if _, err := first.Start(t.Context(), req); knowledge.CodeOf(err) != knowledge.LibraryBusy {
		t.Errorf("a second crawl of the library: %v", err)
	}
	first.shut()
	if diff := cmp.Diff([]string{"the_book interrupted"}, first.desk.states()); diff != "" {
		t.Error("first process (-want +got):\n" + diff)
	}
	if diff := cmp.Diff([]string{chapter(0), chapter(1), chapter(2)}, b.take()); diff != "" {
		t.Error("fetched by the first process (-want +got):\n" + diff)
	}

	b.opened = nil
	second := start(t, db, b, "2@2")
	if _, err := second.Resume(t.Context(), knowledge.CrawlRequest{Library: "The Book"}); err != nil {
		t.Fatal(err)
	}
	_ = second.Idle(t.Context(), "")
	if diff := cmp.Diff([]string{chapter(3), chapter(4), chapter(5)}, b.take()); diff != "" {
		t.Error("fetched by the second process (-want +got):\n" + diff)
	}
	if _, err := second.Refresh(t.Context(), knowledge.CrawlRequest{Library: "the_book", ReplyTo: "console:main"}); err != nil {
		t.Fatal(err)
	}
	_ = second.Idle(t.Context(), "")
	if diff := cmp.Diff([]string{"the_book completed", "the_book completed"}, second.desk.states()); diff != "" {
		t.Fatal("second process (-want +got):\n" + diff)
	}
	crawled, refreshed := second.desk.told[0].Counts, second.desk.told[1].Counts
	if crawled.New != 6 || crawled.Chunks < 6 || crawled.Waiting() != 0 {
		t.Errorf("crawl counted %+v", crawled)
	}
	if refreshed.Unchanged != 6 || refreshed.New+refreshed.Changed != 0 {
		t.Errorf("refresh counted %+v", refreshed)
	}
	lib, err := db.Library(t.Context(), "the_book")
	if err != nil || lib.Pages != 6 || lib.Title != "The Book" || lib.StartURL != chapter(0) || lib.MaxPages != 200 {
		t.Errorf("library %+v, %v", lib, err)
	}
}

// A process that died without a word is found at the next start of its host, and what
// it was doing is told and can be cancelled or resumed like any other.
func TestDeadProcess(t *testing.T) {
	db := openStore(t)
	dead := knowledge.Owner{Install: "i1", Host: "h1", Process: "1@1"}.String()
	_, err := db.StartJob(t.Context(), knowledge.Job{
		Library: "book", Kind: knowledge.JobCrawl, Start: chapter(0), Scope: knowledge.ScopeTree, MaxPages: 200, Robots: true,
		State: knowledge.Running, ReplyTo: "console:main", Owner: dead, StartedAt: time.Now(), LeaseUntil: time.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &book{chapters: 3, halt: 1, opened: make(chan struct{}), reached: make(chan struct{})}
	in := start(t, db, b, "2@2")
	for len(in.desk.states()) == 0 { // told by Run, which begins with it
		runtime.Gosched()
	}
	if _, err := in.Resume(t.Context(), knowledge.CrawlRequest{Library: "book"}); err != nil {
		t.Fatal(err)
	}
	<-b.reached
	if _, err := in.Cancel(t.Context(), "book"); err != nil {
		t.Fatal(err)
	}
	_ = in.Idle(t.Context(), "")
	if diff := cmp.Diff([]string{"book interrupted", "book cancelled"}, in.desk.states()); diff != "" {
		t.Error("announced (-want +got):\n" + diff)
	}
	if owed, err := db.Unannounced(t.Context()); err != nil || len(owed) > 0 {
		t.Errorf("owed %v, %v", owed, err)
	}
}
