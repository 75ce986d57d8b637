package commands_test

import (
	"context"
	"strings"
	"testing"

	"footnote/commands"
	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"

	"github.com/google/go-cmp/cmp"
)

// What people type, and the crawl that they mean.
func TestCrawlWords(t *testing.T) {
	cases := []struct {
		line string
		want string // as noted by playedJobs, "" when refused
		max  int
	}{
		{"/kb crawl pg https://pg.test/docs/", "start pg https://pg.test/docs/", 0},
		{"/kb crawl pg https://pg.test/docs/ 50", "start pg https://pg.test/docs/", 50},
		{"/kb crawl pg https://pg.test/docs/ 1,000", "start pg https://pg.test/docs/", 1000},
		{"/kb crawl pg <https://pg.test/docs/|pg.test/docs>", "start pg https://pg.test/docs/", 0},
		{"/kb crawl pg pg.test/docs", "start pg https://pg.test/docs", 0},
		{"/kb crawl pg localhost:8080/docs", "start pg https://localhost:8080/docs", 0},
		{"/kb crawl pg 127.0.0.1:8080", "start pg https://127.0.0.1:8080", 0},
		{"/kb crawl pg [::1]:8080/x", "start pg https://[::1]:8080/x", 0},
		{"/kb crawl https://pg.test/docs/ pg 50", "start pg https://pg.test/docs/", 50},
		{"/kb crawl pg.test/docs pg", "start pg https://pg.test/docs", 0},
		{"/kb crawl node.js https://nodejs.test/api/", "start node.js https://nodejs.test/api/", 0},
		{"/kb crawl node.js nodejs.test/api/", "start node.js https://nodejs.test/api/", 0},
		{"/kb crawl https://nodejs.test/api/ node.js", "start node.js https://nodejs.test/api/", 0},
		{"/kb crawl “Meta WhatsApp Docs” https://wa.test/", "start Meta WhatsApp Docs https://wa.test/", 0},
		{"/kb crawl\npg\nhttps://pg.test/", "start pg https://pg.test/", 0},
		{"@bot kb crawl pg https://pg.test/", "start pg https://pg.test/", 0},
		{"/kb crawl pg https://pg.test/ --scope domain", "start pg https://pg.test/ domain", 0},
		{"/kb crawl --scope=Prefix --robots off pg https://pg.test/ 9", "start pg https://pg.test/ prefix no-robots", 9},
		{"/kb crawl pg https://pg.test/ —robots on", "start pg https://pg.test/", 0},
		{"/kb crawl pg ftp://pg.test/", "start pg ftp://pg.test/", 0}, // refused by admission, with its own code
		{"/kb crawl pg javascript:alert(1)", "start pg javascript:alert(1)", 0},
		{"/kb crawl pg docs", "", 0},
		{"/kb crawl pg", "", 0},
		{"/kb crawl pg docs https://pg.test/", "", 0},
		{"/kb crawl pg https://pg.test/ 0", "", 0},
		{"/kb crawl pg https://pg.test/ -5", "", 0},
		{"/kb crawl pg https://pg.test/ many", "", 0},
		{"/kb crawl pg https://pg.test/ 5 6", "", 0},
		{"/kb crawl pg https://pg.test/ --scope", "", 0},
		{"/kb crawl pg https://pg.test/ --scope world", "", 0},
		{"/kb crawl pg https://pg.test/ --robots maybe", "", 0},
		{"/kb crawl pg https://pg.test/ --depth 3", "", 0},
		{"/kb crawl --scope tree --robots off pg", "", 0},
	}
	r := newRoom(t)
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			*r.jobs = playedJobs{}
			r.jobs.started.Job = knowledge.Job{Library: "pg", Kind: knowledge.JobCrawl, MaxPages: 200}
			got := r.say(t, line(c.line))
			if c.want == "" {
				if got.Code != string(knowledge.InvalidRequest) || !strings.Contains(got.Text, "Usage: `/kb crawl") || len(r.jobs.asked) > 0 {
					t.Errorf("got %+v, jobs %v", got, r.jobs.asked)
				}
				return
			}
			if diff := cmp.Diff([]string{c.want}, r.jobs.asked); diff != "" {
				t.Error("asked (-want +got):\n" + diff)
			}
			if r.jobs.last.MaxPages != c.max {
				t.Errorf("number %d, want %d", r.jobs.last.MaxPages, c.max)
			}
			if r.jobs.last.By != "console:me" || r.jobs.last.ReplyTo != "console:main" {
				t.Errorf("by %q, reply to %q", r.jobs.last.By, r.jobs.last.ReplyTo)
			}
		})
	}
}

// The reply to a crawl is its progress, and later progress replaces it.
func TestCrawlProgress(t *testing.T) {
	r := newRoom(t)
	job := knowledge.Job{Library: "pg", Kind: knowledge.JobCrawl, MaxPages: 1000, State: knowledge.Running}
	r.jobs.started = knowledge.CrawlStarted{Job: job, Asked: 50_000}
	var rec gatewaytest.Recorder
	if err := r.router.Handle(t.Context(), line("/kb crawl pg https://pg.test/ 50000 --robots off"), &rec); err != nil {
		t.Fatal(err)
	}
	job.New, job.Failures = 40, 2
	r.jobs.last.Progress(job)
	job.State = knowledge.Partial
	r.jobs.last.Progress(job)

	note := "\n50,000 is more than a crawl may keep here; the number is lowered to 1,000.\nrobots.txt is ignored, as you asked."
	want := []gateway.Reply{
		{Text: "Crawling **pg**: 0 of 1,000 pages." + note, Progress: &gateway.Progress{Total: 1000, Unit: "pages"}},
		{Text: "Crawling **pg**: 40 of 1,000 pages, 2 failed." + note, Progress: &gateway.Progress{Done: 40, Total: 1000, Unit: "pages"}},
		{Text: "Crawling **pg**: 40 of 1,000 pages, 2 failed, ended." + note, Progress: &gateway.Progress{Done: 40, Total: 1000, Unit: "pages"}},
	}
	if diff := cmp.Diff(want, append(rec.Replies(), rec.Updates()...)); diff != "" {
		t.Error("replies and updates (-want +got):\n" + diff)
	}
}

// Progress that is quicker than the reply waits for it.
func TestProgressAfterReply(t *testing.T) {
	r := newRoom(t)
	var rec gatewaytest.Recorder
	done := make(chan struct{})
	job := knowledge.Job{Library: "pg", Kind: knowledge.JobRefresh, MaxPages: 1}
	r.router = commands.New(commands.Options{Store: r.db, Search: r.search, Jobs: hastyJobs{r.jobs, func(req knowledge.CrawlRequest) {
		go func() {
			defer close(done)
			req.Progress(job)
			if len(rec.Replies()) != 1 {
				t.Error("progress overtook the reply")
			}
		}()
	}}})
	r.jobs.started.Job = job
	if err := r.router.Handle(t.Context(), line("/kb refresh pg"), &rec); err != nil {
		t.Fatal(err)
	}
	<-done
	if len(rec.Updates()) != 1 {
		t.Errorf("updates %v", rec.Updates())
	}
}

type hastyJobs struct {
	*playedJobs
	begun func(knowledge.CrawlRequest)
}

func (h hastyJobs) Refresh(_ context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error) {
	h.begun(req)
	return h.started, nil
}

// The other commands of jobs.
func TestJobCommands(t *testing.T) {
	job := knowledge.Job{Library: "pg", Kind: knowledge.JobRefresh, MaxPages: 200, State: knowledge.Running}
	refused := knowledge.Refuse(knowledge.LibraryBusy, "\"pg\" is being written by another job")
	cases := []struct {
		name, line string
		added      knowledge.PageAdded
		err        error
		asked      string
		want       gateway.Reply
	}{
		{
			name: "refresh", line: "/kb refresh pg", asked: "refresh pg",
			want: gateway.Reply{Text: "Refreshing **pg**: 0 of 200 pages.", Progress: &gateway.Progress{Total: 200, Unit: "pages"}},
		},
		{
			name: "resume", line: "/kb resume pg", asked: "resume pg",
			want: gateway.Reply{Text: "Refreshing **pg**: 0 of 200 pages.", Progress: &gateway.Progress{Total: 200, Unit: "pages"}},
		},
		{
			name: "cancel", line: "/kb cancel pg", asked: "cancel pg",
			want: gateway.Reply{Text: "Stopping the refresh of **pg**; what is stored stays."},
		},
		{
			name: "busy", line: "/kb refresh pg", asked: "refresh pg", err: refused,
			want: gateway.Reply{Text: "\"pg\" is being written by another job.", Code: "library_busy", Ephemeral: true},
		},
		{
			name: "added", line: "/kb add pg pg.test/one", asked: "add pg https://pg.test/one",
			added: knowledge.PageAdded{Job: job, Stored: knowledge.StoredNew, Title: "One [*draft*]", Chunks: 5},
			want:  gateway.Reply{Text: `**pg**: One \[\*draft\*\] is new, 5 passages.`},
		},
		{
			name: "replaced", line: "/kb add https://pg.test/one pg", asked: "add pg https://pg.test/one",
			added: knowledge.PageAdded{Job: job, Stored: knowledge.StoredChanged, URL: "https://pg.test/one", Chunks: 1},
			want:  gateway.Reply{Text: "**pg**: <https://pg.test/one> has replaced the older copy, 1 passage."},
		},
		{
			name: "unchanged", line: "/kb add pg https://pg.test/one", asked: "add pg https://pg.test/one",
			added: knowledge.PageAdded{Job: job, Stored: knowledge.StoredUnchanged, Title: "One", Chunks: 5},
			want:  gateway.Reply{Text: "**pg**: One is unchanged."},
		},
		{
			name: "refused page", line: "/kb add pg https://pg.test/one", asked: "add pg https://pg.test/one",
			err:  knowledge.Refuse(knowledge.RobotsDisallowed, "robots.txt of pg.test disallows /one"),
			want: gateway.Reply{Text: "robots.txt of pg.test disallows /one", Code: "robots_disallowed", Ephemeral: true},
		},
	}
	r := newRoom(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			*r.jobs = playedJobs{started: knowledge.CrawlStarted{Job: job}, added: c.added, err: c.err}
			if diff := cmp.Diff(c.want, r.say(t, line(c.line))); diff != "" {
				t.Error("reply (-want +got):\n" + diff)
			}
			if diff := cmp.Diff([]string{c.asked}, r.jobs.asked); diff != "" {
				t.Error("asked (-want +got):\n" + diff)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	counts := func(c knowledge.Counts) knowledge.Job {
		return knowledge.Job{Library: "pg", Kind: knowledge.JobCrawl, Start: "https://pg.test/", MaxPages: 2000, State: knowledge.Completed, Counts: c}
	}
	partial := counts(knowledge.Counts{New: 1169, Failures: 3, Chunks: 6512, Discovered: 1172})
	partial.State = knowledge.Partial
	limited := counts(knowledge.Counts{New: 200, Chunks: 900, Discovered: 1169})
	limited.MaxPages = 200
	failed := counts(knowledge.Counts{Failures: 1})
	failed.State, failed.Code, failed.Reason = knowledge.Failed, knowledge.RobotsDisallowed, "robots.txt of pg.test disallows /docs/"
	hopeless := failed
	hopeless.Failures = 3
	full := counts(knowledge.Counts{New: 12, Unchanged: 3, Chunks: 80})
	full.State, full.Code, full.Reason = knowledge.Failed, knowledge.StorageFull, "the store is full"
	cancelled := counts(knowledge.Counts{New: 40, Changed: 1, Chunks: 100})
	cancelled.State = knowledge.Cancelled
	interrupted := counts(knowledge.Counts{})
	interrupted.State, interrupted.Reason = knowledge.Interrupted, "the process that ran it ended before it did"
	refresh := counts(knowledge.Counts{Changed: 2, Unchanged: 10, GonePages: 1, Chunks: 40})
	refresh.Kind = knowledge.JobRefresh

	for name, c := range map[string]struct {
		job  knowledge.Job
		want gateway.Reply
	}{
		"partial": {partial, gateway.Reply{
			Text: "**pg**: crawl completed, with failures. 1,169 pages (1,169 new), 6,512 passages, 3 failed: see `/kb status pg failed`.",
		}},
		"at its number": {limited, gateway.Reply{
			Text: "**pg**: crawl completed. 200 pages (200 new), 900 passages. It stopped at its number; 969 more had been discovered. A larger N keeps more, up to the configured cap: `/kb crawl pg https://pg.test/ N`.",
		}},
		"failed": {failed, gateway.Reply{
			Code: "robots_disallowed",
			Text: "**pg**: crawl failed: robots.txt of pg.test disallows /docs/",
		}},
		"failed often": {hopeless, gateway.Reply{
			Code: "robots_disallowed",
			Text: "**pg**: crawl failed: robots.txt of pg.test disallows /docs/\n3 failed: see `/kb status pg failed`.",
		}},
		"failed midway": {full, gateway.Reply{
			Code: "kb_storage_full",
			Text: "**pg**: crawl failed: the store is full. 15 pages (12 new, 3 unchanged), 80 passages. What was stored stays; `/kb refresh pg` tries again.",
		}},
		"cancelled": {cancelled, gateway.Reply{
			Text: "**pg**: crawl cancelled. 41 pages (40 new, 1 replaced), 100 passages. `/kb resume pg` continues it.",
		}},
		"interrupted": {interrupted, gateway.Reply{
			Text: "**pg**: crawl interrupted: the process that ran it ended before it did. `/kb resume pg` continues it.",
		}},
		"refresh": {refresh, gateway.Reply{
			Text: "**pg**: refresh completed. 12 pages (2 replaced, 10 unchanged), 40 passages, 1 not found.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, commands.Outcome(c.job)); diff != "" {
				t.Error("outcome (-want +got):\n" + diff)
			}
		})
	}
}
