package commands_test

import (
	"strings"
	"testing"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
	"footnote/knowledge/search"

	"github.com/google/go-cmp/cmp"
)

func hit(grade knowledge.Grade) knowledge.Hit {
	return knowledge.Hit{
		Chunk: knowledge.Chunk{Path: []string{"Messages", "Send"}, Anchor: "send"}, Library: "pg",
		PageTitle: "API", PageURL: "https://pg.test/api", CheckedAt: seen(), Evidence: 0.9, Grade: grade, Snippet: "how to **send**",
	}
}

func shown(grade string) gateway.Hit {
	return gateway.Hit{
		Library: "pg", Title: "API", Section: "Messages > Send", URL: "https://pg.test/api#send",
		Snippet: "how to **send**", Grade: grade, Evidence: 0.9, Age: "3 days",
	}
}

func TestSearch(t *testing.T) {
	best, good, possible := hit(knowledge.GradeBest), hit(knowledge.GradeGood), hit(knowledge.GradePossible)
	cases := []struct {
		name, line string
		found      search.Result
		query      knowledge.Query
		want       gateway.Reply
	}{
		{
			"hits", "/kb search pg send a message",
			search.Result{Hits: []knowledge.Hit{best, good}},
			knowledge.Query{Text: "send a message", Libraries: []string{"pg"}},
			gateway.Reply{Text: "2 passages in pg:", Hits: []gateway.Hit{shown("best"), shown("good")}},
		},
		{
			"hits and others", "/kb search * send --limit 3",
			search.Result{Hits: []knowledge.Hit{best}, Related: []knowledge.Hit{possible}},
			knowledge.Query{Text: "send", Limit: 3},
			gateway.Reply{Text: "1 passage in these libraries, and 1 possibly related:", Hits: []gateway.Hit{shown("best"), shown("possible")}},
		},
		{
			"only others", `/kb search PG "send it"`,
			search.Result{Related: []knowledge.Hit{possible}},
			knowledge.Query{Text: "send it", Libraries: []string{"pg"}},
			gateway.Reply{Text: "Nothing in pg clearly answers this. Possibly related:", Hits: []gateway.Hit{shown("possible")}},
		},
		{
			"nothing", "/kb search pg walrus",
			search.Result{},
			knowledge.Query{Text: "walrus", Libraries: []string{"pg"}},
			gateway.Reply{Text: "Nothing in pg answers this."},
		},
		{
			"nothing anywhere", `/kb search \* walrus`,
			search.Result{},
			knowledge.Query{Text: "walrus"},
			gateway.Reply{Text: "Nothing in these libraries answers this."},
		},
		{
			"an archived library by its id", "/kb search git --no-verify --limit=999",
			search.Result{},
			knowledge.Query{Text: "--no-verify", Libraries: []string{"git"}, Limit: 50},
			gateway.Reply{Text: "Nothing in git answers this."},
		},
		{
			"a part of the search is down", "/kb search pg walrus",
			search.Result{Partial: true},
			knowledge.Query{Text: "walrus", Libraries: []string{"pg"}},
			gateway.Reply{Text: "A part of the search did not answer, so this may be incomplete. Nothing in pg answers this."},
		},
	}
	r := newRoom(t)
	r.furnish(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			*r.search = playedSearch{found: c.found}
			if diff := cmp.Diff(c.want, r.say(t, guest(c.line))); diff != "" {
				t.Error("reply (-want +got):\n" + diff)
			}
			if diff := cmp.Diff([]knowledge.Query{c.query}, r.search.asked); diff != "" {
				t.Error("query (-want +got):\n" + diff)
			}
		})
	}
}

// The passages behind the last answer of this conversation, and of no other.
func TestWhy(t *testing.T) {
	r := newRoom(t)
	m := guest("/kb why")
	for _, turn := range []knowledge.Turn{
		{Conversation: m.Conversation(), Question: "older", Outcome: "nothing"},
		{Conversation: m.Conversation(), Question: "How do I *send*?", Outcome: "extractive", At: time.Now().Add(-3 * time.Minute), Passages: []knowledge.Citation{
			{Library: "pg", Title: "API", Section: "Messages > Send", URL: "https://pg.test/api#send", Evidence: 0.8, Channel: "words", Cited: true},
			{Library: "pg", Title: "FAQ", URL: "https://pg.test/faq", Evidence: 0.5, Channel: "both"},
			{Library: "pg", Title: "Rest", Section: "Rest", URL: "https://pg.test/rest", Evidence: 0.2, Channel: "meaning"},
		}},
		{Conversation: "console//other/", Question: "elsewhere", Outcome: "nothing"},
	} {
		if err := r.db.SaveTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	want := gateway.Reply{Text: `“How do I \*send\*?”, 3 minutes ago:
1. **pg**: API > Messages > Send: strong evidence, found by its words, cited. <https://pg.test/api#send>
2. **pg**: FAQ: fair evidence, found by its words and meaning, not cited. <https://pg.test/faq>
3. **pg**: Rest: weak evidence, found by its meaning, not cited. <https://pg.test/rest>`}
	if diff := cmp.Diff(want, r.say(t, m)); diff != "" {
		t.Error("why (-want +got):\n" + diff)
	}
	other := m
	other.Chat = "other"
	if got := r.say(t, other).Text; got != "“elsewhere”, just now: no passage was near enough to be shown." {
		t.Errorf("elsewhere: %q", got)
	}
}

func TestStatus(t *testing.T) {
	r := newRoom(t)
	r.furnish(t)
	broken := r.begin(t, knowledge.Job{Library: "docs", Kind: knowledge.JobCrawl, Start: "https://docs.test/", MaxPages: 200},
		document("https://docs.test/", "Docs"),
		missed("https://docs.test/a", knowledge.Unfetched, knowledge.ConnectError, "docs.test did not answer"),
		missed("https://docs.test/b", knowledge.Skipped, knowledge.RobotsDisallowed, "robots.txt of docs.test disallows /b"),
		missed("https://docs.test/c", knowledge.Unfetched, knowledge.ConnectError, "docs.test did not answer"))
	if err := r.db.FinishJob(t.Context(), broken.ID, broken.Owner, knowledge.Partial, "", ""); err != nil {
		t.Fatal(err)
	}
	refused := r.begin(t, knowledge.Job{Library: "unborn", Start: "https://x.test/"})
	if err := r.db.FinishJob(t.Context(), refused.ID, refused.Owner, knowledge.Failed, knowledge.ConnectError, "x.test does not exist"); err != nil {
		t.Fatal(err)
	}
	cut := r.begin(t, knowledge.Job{Library: "cut", Start: "https://cut.test/"})
	if err := r.db.FinishJob(t.Context(), cut.ID, cut.Owner, knowledge.Interrupted, "", "the process that ran it ended before it did"); err != nil {
		t.Fatal(err)
	}
	r.begin(t, knowledge.Job{Library: "busy", Start: "https://busy.test/"})

	cases := []struct{ name, line, want string }{
		{"library and job", "/kb status docs", `**docs**: 1 page, 1 passage, checked 3 days ago.

Latest job: crawl of <https://docs.test/>, completed, with failures just now.
1 page (1 new), 1 passage, 2 failed: see ` + "`/kb status docs failed`" + `.
Addresses: 3 discovered, 0 waiting, 0 redirected, 0 without text of their own.
Not stored: 2 × ` + "`connect_error`, 1 × `robots_disallowed`" + `.
Storage: `},
		{"failures", "/kb status docs failed", "**docs**, latest crawl: 2 × `connect_error`, 1 × `robots_disallowed`.\n\n" +
			"- <https://docs.test/a>: docs.test did not answer (`connect_error`)\n" +
			"- <https://docs.test/c>: docs.test did not answer (`connect_error`)\n" +
			"- <https://docs.test/b>: robots.txt of docs.test disallows /b (`robots_disallowed`)"},
		{"gone pages", "/kb status pg", "\n1 page gone from the site and left out of answers: `/kb gone pg`.\nStorage: "},
		{"no failures", "/kb status git failed", "**git**: nothing failed in its latest crawl."},
		{"a job that made no library", "/kb status unborn", "**unborn** holds nothing yet.\n\nLatest job: crawl of <https://x.test/>, failed just now (`connect_error`). x.test does not exist."},
		{"interrupted", "/kb status cut", "interrupted just now. The process that ran it ended before it did."},
		{"what to do then", "/kb status cut", "\n`/kb resume cut` continues it."},
		{"running", "/kb status busy", "Latest job: crawl of <https://busy.test/>, running: 0 of 200 pages."},
		{"what to do meanwhile", "/kb status busy", "\n`/kb cancel busy` stops it."},
		{"the quota", "/kb status git", " of 1 GiB, all libraries together."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := r.say(t, guest(c.line)).Text; !strings.Contains(got, c.want) {
				t.Errorf("%s\n got %s\nwant %s", c.line, got, c.want)
			}
		})
	}
}
