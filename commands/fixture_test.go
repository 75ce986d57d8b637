package commands_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/commands"
	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"
	"footnote/knowledge/search"
	"footnote/knowledge/sqlite"
)

// room is a chat with the commands over a real store; jobs, search and the answering
// of questions are played.
type room struct {
	db        *sqlite.DB
	jobs      *playedJobs
	search    *playedSearch
	questions []string
	unanswer  error // what a question comes to, when it is not answered
	router    *commands.Router
}

func newRoom(t *testing.T) *room {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{
		Path: filepath.Join(t.TempDir(), "knowledge.db"), Quota: 1 << 30, MaxLibraries: 500, MaxPages: 5000, MaxRunning: 4,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r := &room{db: db, jobs: &playedJobs{}, search: &playedSearch{}}
	r.router = commands.New(commands.Options{
		Store: db, Jobs: r.jobs, Search: r.search,
		Questions: gateway.HandlerFunc(func(ctx context.Context, m gateway.Message, respond gateway.Responder) error {
			r.questions = append(r.questions, m.Text)
			if r.unanswer != nil {
				return r.unanswer
			}
			return respond.Reply(ctx, gateway.Reply{Text: "an answer"})
		}),
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	return r
}

// line is a message from an admin in the terminal, as the gateway hands it on.
func line(text string) gateway.Message {
	m := gateway.Message{
		Platform: "console", Chat: "main", ReplyTo: "console:main", Text: text, Addressed: true,
		User: gateway.User{ID: "me", Admin: true},
	}
	if inv, ok := gateway.ParseInvocation(text); ok {
		m.Invocation = &inv
	}
	return m
}

// guest is the same from somebody who is no admin.
func guest(text string) gateway.Message {
	m := line(text)
	m.User = gateway.User{ID: "guest"}
	return m
}

// say hands m to the router and gives the one reply it must make.
func (r *room) say(t *testing.T, m gateway.Message) gateway.Reply {
	t.Helper()
	var rec gatewaytest.Recorder
	if err := r.router.Handle(t.Context(), m, &rec); err != nil {
		t.Fatalf("%s: %v", m.Text, err)
	}
	replies := rec.Replies()
	if len(replies) != 1 {
		t.Fatalf("%s: %d replies, want 1: %v", m.Text, len(replies), replies)
	}
	return replies[0]
}

// fill runs a whole job over a library by hand.
func (r *room) fill(t *testing.T, job knowledge.Job, visits ...knowledge.Visited) {
	t.Helper()
	job = r.begin(t, job, visits...)
	if err := r.db.FinishJob(t.Context(), job.ID, job.Owner, knowledge.Completed, "", ""); err != nil {
		t.Fatal(err)
	}
}

// begin is fill without the job's end.
func (r *room) begin(t *testing.T, job knowledge.Job, visits ...knowledge.Visited) knowledge.Job {
	t.Helper()
	job.State, job.Owner, job.Robots = knowledge.Running, "i1/h1/1@1", true
	job.StartedAt, job.LeaseUntil = time.Now(), time.Now().Add(time.Minute)
	if job.Kind == "" {
		job.Kind, job.Scope, job.MaxPages = knowledge.JobCrawl, knowledge.ScopeTree, 200
	}
	job, err := r.db.StartJob(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range visits {
		publish(t, r.db, job, v)
	}
	return job
}

func publish(t *testing.T, db *sqlite.DB, job knowledge.Job, v knowledge.Visited) {
	t.Helper()
	p := knowledge.Publication{Job: job, Visited: v}
	if v.Outcome == knowledge.Fetched {
		p.Page = knowledge.Page{URL: v.URL, Title: v.Title, Lang: "en", Markdown: v.Markdown, Digest: v.Markdown}
		p.Chunks = []knowledge.Chunk{{Text: v.Markdown, FirstLine: 1, LastLine: 1}}
	}
	if _, err := db.Publish(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// seen is when the played crawls saw their pages.
func seen() time.Time { return time.Now().Add(-73 * time.Hour) }

func document(url, title string) knowledge.Visited {
	return knowledge.Visited{
		Requested: url, URL: url, Outcome: knowledge.Fetched, Title: title, Markdown: "About " + title, At: seen(), Discovered: 3,
	}
}

func missed(url string, outcome knowledge.Outcome, code knowledge.Code, reason string) knowledge.Visited {
	return knowledge.Visited{
		Requested: url, URL: url, Outcome: outcome, Err: knowledge.Refuse(code, "%s", reason), At: seen(), Discovered: 3,
	}
}

// furnish gives the room a few libraries: pg (two pages, one gone), git (archived) and
// meta_whatsapp_docs.
func (r *room) furnish(t *testing.T) {
	t.Helper()
	one, two := document("https://pg.test/one", "One"), document("https://pg.test/two", "Two")
	r.fill(t, knowledge.Job{Library: "pg", Start: "https://pg.test/one"}, one, two)
	gone := missed(two.URL, knowledge.Vanished, knowledge.NotFound, "https://pg.test/two answers 404")
	for range 2 {
		r.fill(t, knowledge.Job{Library: "pg", Kind: knowledge.JobRefresh, MaxPages: 200}, one, gone)
	}
	r.fill(t, knowledge.Job{Library: "git", Start: "https://git.test/"}, document("https://git.test/", "Git"))
	r.fill(t, knowledge.Job{Library: "meta_whatsapp_docs", Title: "Meta WhatsApp Docs", Start: "https://wa.test/"}, document("https://wa.test/", "WhatsApp"))
	if err := r.db.UpdateLibrary(t.Context(), "git", func(l *knowledge.Library) { l.Archived = true }); err != nil {
		t.Fatal(err)
	}
}

// playedJobs records what was asked of the runner and answers as it is told.
type playedJobs struct {
	asked   []string // "start pg https://… 200 tree"
	last    knowledge.CrawlRequest
	started knowledge.CrawlStarted
	added   knowledge.PageAdded
	err     error
}

func (p *playedJobs) note(verb string, req knowledge.CrawlRequest) {
	words := []string{verb, req.Library, req.URL, string(req.Scope)}
	if req.IgnoreRobots {
		words = append(words, "no-robots")
	}
	p.asked = append(p.asked, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	p.last = req
}

func (p *playedJobs) Start(_ context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	p.note("start", req)
	return p.started, p.err
}

func (p *playedJobs) Refresh(_ context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	p.note("refresh", req)
	return p.started, p.err
}

func (p *playedJobs) Resume(_ context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	p.note("resume", req)
	return p.started, p.err
}

func (p *playedJobs) Add(_ context.Context, req knowledge.CrawlRequest) (knowledge.PageAdded, error) {
	p.note("add", req)
	return p.added, p.err
}

func (p *playedJobs) Cancel(_ context.Context, library string) (knowledge.Job, error) {
	p.note("cancel", knowledge.CrawlRequest{Library: library})
	return p.started.Job, p.err
}

// playedSearch finds what it is told to.
type playedSearch struct {
	asked []knowledge.Query
	found search.Result
	err   error
}

func (p *playedSearch) Search(_ context.Context, q knowledge.Query) (search.Result, error) {
	p.asked = append(p.asked, q)
	return p.found, p.err
}
