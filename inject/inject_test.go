package inject

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"
	"footnote/knowledge/search"
	"footnote/knowledge/sqlite"
)

// shelf is a real store that tests fill page by page.
type shelf struct {
	*sqlite.DB
	t *testing.T
}

func newShelf(t *testing.T) shelf {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{
		Path: filepath.Join(t.TempDir(), "knowledge.db"), Quota: 1 << 30, MaxLibraries: 50, MaxPages: 500, MaxRunning: 4,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return shelf{db, t}
}

// put stores a page of one chunk for each text, seen three days ago. A text "#anchor …" is
// at that anchor.
func (s shelf) put(library, title string, texts ...string) {
	s.t.Helper()
	now := time.Now()
	job, err := s.StartJob(s.t.Context(), knowledge.Job{
		Library: library, Title: library, Kind: knowledge.JobAdd, MaxPages: 1, Owner: "test", LeaseUntil: now.Add(time.Hour), StartedAt: now,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	url := "https://" + library + ".example/" + strings.ReplaceAll(strings.ToLower(title), " ", "-")
	p := knowledge.Publication{
		Job:     job,
		Visited: knowledge.Visited{Requested: url, URL: url, Outcome: knowledge.Fetched, At: now.Add(-72 * time.Hour)},
		Page:    knowledge.Page{Library: library, URL: url, Title: title, Lang: "en", Markdown: strings.Join(texts, "\n"), Digest: title},
	}
	for i, text := range texts {
		c := knowledge.Chunk{Ordinal: i, Path: []string{title}, FirstLine: i + 1, LastLine: i + 1, Text: text}
		if anchor, rest, ok := strings.Cut(strings.TrimPrefix(text, "#"), " "); ok && strings.HasPrefix(text, "#") {
			c.Anchor, c.Text = anchor, rest
		}
		p.Chunks = append(p.Chunks, c)
	}
	if _, err := s.Publish(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	if err := s.FinishJob(s.t.Context(), job.ID, "test", knowledge.Completed, "", ""); err != nil {
		s.t.Fatal(err)
	}
}

func (s shelf) fill() {
	s.put("pg", "Connection Settings",
		"#GUC-MAX-CONNECTIONS - `max_connections` (integer)\n\n  Determines the maximum number of concurrent connections. The default is typically 100.\n",
		"#GUC-PORT - `port` (integer)\n\n  The TCP port the server listens on.\n")
	s.put("pg", "Backup", "Plan first. Disks fail.",
		"Use the dump tool for a logical backup of one database:\n\n```sh\npg_dump mydb > mydb.sql\n```\n\nThe weather plays no part.")
	s.put("git", "Hooks", "#_commit A commit runs the pre-commit hook first. Bypass that hook with `--no-verify`. Cats sleep a lot.")
	for i := range 20 {
		s.put("pg", fmt.Sprintf("Chapter %d", i), fmt.Sprintf("Tables, rows and servers of topic%d.", i))
	}
}

func (s shelf) ask(text string) gateway.Reply {
	s.t.Helper()
	var r gatewaytest.Recorder
	a := New(Options{Search: search.New(s), Store: s})
	m := gateway.Message{Platform: "console", Chat: "c", User: gateway.User{ID: "u"}, Text: text}
	if err := a.Handle(s.t.Context(), m, &r); err != nil {
		s.t.Fatal(err)
	}
	replies := r.Replies()
	if len(replies) != 1 {
		s.t.Fatalf("%d replies", len(replies))
	}
	return replies[0]
}

func TestAnswers(t *testing.T) {
	s := newShelf(t)
	s.fill()
	tests := []struct {
		name, question string
		want           gateway.Reply
	}{
		{"a label stays with what it names", "what is max_connections?", gateway.Reply{
			Text:    "- `max_connections` (integer): Determines the maximum number of concurrent connections. [1]\n\n📚 This data is from Knowledge “pg”.",
			Sources: []gateway.Source{{Library: "pg", Title: "Connection Settings", Section: "Connection Settings", URL: "https://pg.example/connection-settings#GUC-MAX-CONNECTIONS", Age: "3 days"}},
		}},
		{"code whole, with its introduction, at its words", "logical backup of a database", gateway.Reply{
			Text: "Use the dump tool for a logical backup of one database:\n\n```sh\npg_dump mydb > mydb.sql\n```\n\n[1]\n\n📚 This data is from Knowledge “pg”.",
			Sources: []gateway.Source{{
				Library: "pg", Title: "Backup", Section: "Backup",
				URL: "https://pg.example/backup#:~:text=Use%20the%20dump%20tool%20for%20a%20logical%20backup", Age: "3 days",
			}},
		}},
		{"the sentences about it, in their order", "bypass the pre-commit hook of a commit", gateway.Reply{
			Text:    "A commit runs the pre-commit hook first. [1] Bypass that hook with `--no-verify`. [1]\n\n📚 This data is from Knowledge “git”.",
			Sources: []gateway.Source{{Library: "git", Title: "Hooks", Section: "Hooks", URL: "https://git.example/hooks#_commit", Age: "3 days"}},
		}},
		{"nothing answers", "how do I bake sourdough bread?", gateway.Reply{Text: "Nothing in git, pg answers this."}},
		{"smalltalk", "Hello, how are you?", gateway.Reply{Text: "Ask me something about the documentation, in your own words; `/kb list` shows what I know."}},
		{"empty", " ", gateway.Reply{Text: "Ask me something about the documentation, in your own words; `/kb list` shows what I know."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, shelf{s.DB, t}.ask(tt.question)); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoLibraries(t *testing.T) {
	s := newShelf(t)
	want := gateway.Reply{Text: "There is no library to answer from yet. An admin can add one: `/kb crawl <id> <url>`."}
	if diff := cmp.Diff(want, s.ask("what is vacuum?")); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
	s.fill()
	for _, id := range []string{"pg", "git"} {
		if err := s.UpdateLibrary(t.Context(), id, func(l *knowledge.Library) { l.Archived = true }); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, s.ask("what is max_connections?")); diff != "" {
		t.Errorf("archived libraries answer (-want +got):\n%s", diff)
	}
}

func TestSeveralLibrariesAreAllNamed(t *testing.T) {
	s := newShelf(t)
	s.fill()
	s.put("pg", "Tips", "Bypass that hook with an option of psql too.")
	got := s.ask("bypass that hook with")
	if want := "📚 This data is from Knowledge “git”, “pg”."; !strings.HasSuffix(got.Text, "\n\n"+want) && !strings.HasSuffix(got.Text, "📚 This data is from Knowledge “pg”, “git”.") {
		t.Errorf("footer: %q, want %q", got.Text, want)
	}
	if len(got.Sources) != 2 || !strings.Contains(got.Text, "[2]") {
		t.Errorf("sources %v of %q", got.Sources, got.Text)
	}
}

func TestTurnIsRecorded(t *testing.T) {
	s := newShelf(t)
	s.fill()
	turn := func(question string) knowledge.Turn {
		t.Helper()
		s.ask(question)
		got, err := s.LatestTurn(t.Context(), "console//c/")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := turn("what is max_connections?")
	if got.At.IsZero() || got.Latency < 0 {
		t.Errorf("turn at %v took %v", got.At, got.Latency)
	}
	want := knowledge.Turn{
		Conversation: "console//c/", Actor: "console:u", Question: "what is max_connections?", Outcome: "extractive",
		Passages: []knowledge.Citation{{
			Library: "pg", Title: "Connection Settings", Section: "Connection Settings",
			URL: "https://pg.example/connection-settings#GUC-MAX-CONNECTIONS", Channel: "words", Cited: true,
		}},
	}
	ignore := cmp.Options{cmpopts.IgnoreFields(knowledge.Turn{}, "ID", "At", "Latency"), cmpopts.IgnoreFields(knowledge.Citation{}, "Chunk", "Evidence")}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("turn (-want +got):\n%s", diff)
	}
	if e := got.Passages[0].Evidence; e <= 0 || e > 1 {
		t.Errorf("evidence %v", e)
	}
	if got := turn("how do I bake sourdough bread?"); got.Outcome != "nothing" || len(got.Passages) != 0 {
		t.Errorf("turn of no answer: %+v", got)
	}
}

// found is a Searcher that has made up its mind.
type found struct {
	search.Result
	err error
}

func (f found) Search(context.Context, knowledge.Query) (search.Result, error) {
	return f.Result, f.err
}

func TestRelatedIsShownButNotTakenForAnAnswer(t *testing.T) {
	s := newShelf(t)
	s.fill()
	var r gatewaytest.Recorder
	related := make([]knowledge.Hit, 3)
	for i := range related {
		related[i] = knowledge.Hit{Library: "pg", PageTitle: fmt.Sprint("T", i), PageURL: "https://x.example/", Snippet: "s", Grade: knowledge.GradePossible, CheckedAt: time.Now()}
	}
	a := New(Options{Search: found{Result: search.Result{Related: related}}, Store: s})
	if err := a.Handle(t.Context(), gateway.Message{Text: "locks?"}, &r); err != nil {
		t.Fatal(err)
	}
	want := gateway.Reply{Text: "Nothing in git, pg answers this.", Hits: []gateway.Hit{
		{Library: "pg", Title: "T0", URL: "https://x.example/", Snippet: "s", Grade: "possible", Age: "just now"},
		{Library: "pg", Title: "T1", URL: "https://x.example/", Snippet: "s", Grade: "possible", Age: "just now"},
	}}
	if diff := cmp.Diff(want, r.Replies()[0]); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestRefusalIsReturned(t *testing.T) {
	s := newShelf(t)
	s.fill()
	var r gatewaytest.Recorder
	err := New(Options{Search: search.New(s), Store: s}).Handle(t.Context(), gateway.Message{Text: strings.Repeat("index ", 400)}, &r)
	if knowledge.CodeOf(err) != knowledge.RequestTooLarge || len(r.Replies()) != 0 {
		t.Errorf("an overlong question gives %v and %v", err, r.Replies())
	}
}

func TestFaultIsReturned(t *testing.T) {
	s := newShelf(t)
	s.fill()
	broken := errors.New("disk gone")
	a := New(Options{Search: found{err: broken}, Store: s})
	var r gatewaytest.Recorder
	if err := a.Handle(t.Context(), gateway.Message{Text: "locks?"}, &r); !errors.Is(err, broken) || len(r.Replies()) != 0 {
		t.Errorf("fault gives %v and %v", err, r.Replies())
	}
}

func TestNamed(t *testing.T) {
	if got, want := named(strings.Fields("a b c d e f g")), "a, b, c, d, e and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// hitsOf makes passages of one page, and a question that weighs its words alike.
func hitsOf(t *testing.T, question string, texts ...string) (search.Question, []knowledge.Hit) {
	t.Helper()
	s := newShelf(t)
	s.put("pg", "Page", texts...)
	r, err := search.New(s).Search(t.Context(), knowledge.Query{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	var hits []knowledge.Hit
	for i, text := range texts {
		hits = append(hits, knowledge.Hit{
			Library: "pg", PageTitle: "Page", PageURL: "https://x.example/p", Lang: "en", Evidence: 1,
			Chunk: knowledge.Chunk{ID: int64(i + 1), Ordinal: i, Anchor: "a", Text: text},
		})
	}
	return r.Question, hits
}

func TestExtract(t *testing.T) {
	long := "A lock " + strings.Repeat("and again a lock ", 90) + "ends."
	tests := []struct {
		name  string
		texts []string
		want  string
	}{
		{"no passage", nil, ""},
		{"what introduces nothing is left out", []string{"A lock is held. The lock modes:"}, "A lock is held. [1]"},
		{"an item is a line", []string{"- A lock waits.\n- A lock ends."}, "- A lock waits. [1]\n- A lock ends. [1]"},
		{"the same is said once", []string{"A lock waits.", "A lock waits."}, "A lock waits. [1]"},
		{"one link, one number", []string{"A lock waits.", "A lock ends."}, "A lock waits. [1]\n\nA lock ends. [1]"},
		{"a table's row", []string{"| Mode | Use |\n|---|---|\n| lock | read |"}, "lock · read [1]"},
		{"what is too long is not cut but left out", []string{long + "\n\nOne lock more."}, "One lock more. [1]"},
		{"markup of the text stays text", []string{`A lock \*waits\* in a\_b.`}, `A lock \*waits\* in a_b. [1]`},
		{"headings are no answer", []string{"## Lock"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, hits := hitsOf(t, "lock", append(tt.texts, "Nothing.")...)
			got, sources := extract(q, hits[:len(tt.texts)])
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if (len(sources) > 0) != (got != "") {
				t.Errorf("%d sources of %q", len(sources), got)
			}
		})
	}
}

func TestExtractIsBounded(t *testing.T) {
	var texts []string
	for i := range 9 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("The lock number%d is %s held. ", i, strings.Repeat("firmly ", 20)), 4))
	}
	q, hits := hitsOf(t, "lock", texts...)
	for i := range hits {
		hits[i].Anchor = fmt.Sprint(i)
	}
	text, sources := extract(q, hits)
	if n := strings.Count(text, " ["); n == 0 || n > maxSentences || len(text) > maxProse+100 || len(sources) > maxSources {
		t.Errorf("%d sentences, %d characters, %d sources", n, len(text), len(sources))
	}
	if !strings.HasSuffix(text, "]") {
		t.Errorf("the last sentence has no mark: %q", text)
	}
}

func TestAddress(t *testing.T) {
	chunk := func(ordinal int, anchor string) knowledge.Hit {
		return knowledge.Hit{PageURL: "https://x.example/p", Chunk: knowledge.Chunk{Ordinal: ordinal, Anchor: anchor}}
	}
	tests := []struct {
		name string
		c    cited
		want string
	}{
		{"anchor", cited{hit: chunk(3, "sec"), opened: "some words here"}, "https://x.example/p#sec"},
		{"beginning of the page", cited{hit: chunk(0, ""), opened: "some words here"}, "https://x.example/p"},
		{"words", cited{hit: chunk(3, ""), opened: "non-ASCII é, a & b+c"}, "https://x.example/p#:~:text=non%2DASCII%20%C3%A9%2C%20a%20%26%20b%2Bc"},
		{"no words", cited{hit: chunk(3, "")}, "https://x.example/p"},
	}
	for _, tt := range tests {
		if got := address(tt.c); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
