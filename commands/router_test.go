package commands_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"

	"github.com/google/go-cmp/cmp"
)

// What each line is answered with, word for word.
func TestReplies(t *testing.T) {
	cases := []struct {
		name string
		line string
		want gateway.Reply
	}{
		{"list", "/kb list", gateway.Reply{Text: "2 libraries:\n\n" +
			"- **meta_whatsapp_docs**: 1 page, 1 passage, checked 3 days ago\n" +
			"- **pg**: 2 pages, 2 passages, 1 gone, checked 3 days ago\n\n1 archived: `/kb list archived`."}},
		{"archived ones", "/kb list archived", gateway.Reply{Text: "1 library:\n\n- **git**: 1 page, 1 passage, checked 3 days ago (archived)"}},
		{"help of a command", "/kb help nightly", gateway.Reply{
			Ephemeral: true,
			Text:      "`/kb nightly <id> on|off`: refresh a library every night. Only admins can use it.\n\nExample: `/kb nightly postgres on`",
		}},
		{"archive", "/kb archive pg", gateway.Reply{
			Text: "**pg** is archived: out of list, answers and `search *`. `/kb unarchive pg` brings it back.",
		}},
		{"unarchive", "/kb unarchive git", gateway.Reply{Text: "**git** is active."}},
		{"nightly", "/kb nightly PG On", gateway.Reply{Text: "**pg** is refreshed every night from now on."}},
		{"inject", "/kb inject pg on", gateway.Reply{Text: "**pg** is injected where it fits the question."}},
		{"kill switch", "/kb inject off", gateway.Reply{Text: "Auto-injection is off everywhere. `/kb inject on` lets it work again."}},
		{"gone", "/kb gone pg", gateway.Reply{Text: "**pg**: 1 page gone from the site, out of answers. `/kb gone pg remove` removes them.\n\n" +
			"- <https://pg.test/two>, first missed 3 days ago"}},
		{"nothing gone", "/kb gone git", gateway.Reply{Text: "**git** has no page that is gone from its site."}},
		{"a name typed loosely", `/kb nightly “Meta WhatsApp Docs” off`, gateway.Reply{
			Text: "**meta_whatsapp_docs** is no longer refreshed every night.",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t)
			r.furnish(t)
			if diff := cmp.Diff(c.want, r.say(t, line(c.line))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.line, diff)
			}
		})
	}
}

// Every refusal has its code, says how to do it right, and is for the asker alone.
func TestRefusals(t *testing.T) {
	cases := []struct {
		name string
		m    gateway.Message
		code knowledge.Code
		says string
	}{
		{"unknown command", line("/kb serach pg vacuum"), knowledge.InvalidRequest, "Did you mean `/kb search`?"},
		{"prefix of a command", line("/kb unarch pg"), knowledge.InvalidRequest, "Did you mean `/kb unarchive`?"},
		{"a question after /kb", line("/kb how do I add a column?"), knowledge.InvalidRequest, "write `/kb ask` and the question"},
		{"markup in the name", line("/kb `*x*"), knowledge.InvalidRequest, "`/kb '*x*` is not a command."},
		{"without /kb", line("/search pg vacuum"), knowledge.InvalidRequest, "Commands begin with `/kb`. Did you mean `/kb search`?"},
		{"/kb mistyped", line("/kbb list"), knowledge.InvalidRequest, "Did you mean `/kb list`?"},
		{"help of nothing", line("/kb help crwal"), knowledge.InvalidRequest, "Did you mean `/kb crawl`?"},
		{"no arguments", line("/kb crawl"), knowledge.InvalidRequest, "Usage: `/kb crawl <id> <url> [N]"},
		{"no query", line("/kb search pg"), knowledge.InvalidRequest, "for example `/kb search postgres add a column`"},
		{"limit is no number", line("/kb search pg vacuum --limit many"), knowledge.InvalidRequest, "`--limit` is a number from 1 to 50, not `many`."},
		{"limit below one", line("/kb search pg vacuum --limit 0"), knowledge.InvalidRequest, "from 1 to 50"},
		{"too many arguments", line("/kb archive pg git"), knowledge.InvalidRequest, "Usage: `/kb archive <id>`"},
		{"neither on nor off", line("/kb nightly pg maybe"), knowledge.InvalidRequest, "Usage: `/kb nightly <id> on|off`"},
		{"inject neither", line("/kb inject pg"), knowledge.InvalidRequest, "Usage: `/kb inject [id] on|off`"},
		{"list of what", line("/kb list all"), knowledge.InvalidRequest, "Usage: `/kb list [archived]`"},
		{"status of what", line("/kb status pg changed"), knowledge.InvalidRequest, "Usage: `/kb status <id> [failed]`"},
		{"gone what", line("/kb gone pg all"), knowledge.InvalidRequest, "Usage: `/kb gone <id> [remove]`"},
		{"not a name", line("/kb delete ???"), knowledge.InvalidRequest, "is not a library name"},
		{"unknown library", line("/kb delete pgg"), knowledge.NotFound, "did you mean pg?"},
		{"unknown to archive", line("/kb archive pgg"), knowledge.NotFound, "did you mean pg?"},
		{"unknown to status", line("/kb status pgg"), knowledge.NotFound, "did you mean pg?"},
		{"unknown to gone", line("/kb gone pgg"), knowledge.NotFound, "did you mean pg?"},
		{"unknown to search", line("/kb search vacuum full table"), knowledge.NotFound, "To search every library: `/kb search * vacuum full table`"},
		{"nothing answered yet", line("/kb why"), knowledge.NotFound, "No question has been answered here yet."},
		{"code of nothing", line("/kb confirm abcdef"), knowledge.NotFound, "`abcdef` confirms nothing here"},
		{"guest crawls", guest("/kb crawl"), knowledge.NotAdmin, "`/kb crawl` is for admins."},
		{"guest asks about a library that is none", guest("/kb delete pgg"), knowledge.NotAdmin, "`/kb delete` is for admins."},
		{"guest shouts", guest("/KB DELETE pg"), knowledge.NotAdmin, "`/kb delete` is for admins."},
		{"guest mistypes an admin's command", guest("/kb delte pg"), knowledge.InvalidRequest, "`/kb delte` is not a command. To ask"},
	}
	r := newRoom(t)
	r.furnish(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := r.say(t, c.m)
			if got.Code != string(c.code) || !got.Ephemeral || !strings.Contains(got.Text, c.says) {
				t.Errorf("%s\n got %q, code %q, ephemeral %v\nwant %q, code %q", c.m.Text, got.Text, got.Code, got.Ephemeral, c.says, c.code)
			}
			if len(r.questions) > 0 || len(r.jobs.asked) > 0 || len(r.search.asked) > 0 {
				t.Errorf("reached questions %v, jobs %v, search %v", r.questions, r.jobs.asked, r.search.asked)
			}
		})
	}
}

// Only what is no command is a question.
func TestQuestions(t *testing.T) {
	native := line("")
	native.Invocation = &gateway.Invocation{Name: "kb", Args: []string{"ask", "how", "now?"}}
	cases := []struct {
		name string
		m    gateway.Message
		want []string
	}{
		{"in words", line("How do I add a column?"), []string{"How do I add a column?"}},
		{"by command", guest("/kb ask how do I  add `a column`?"), []string{"how do I  add `a column`?"}},
		{"natively", native, []string{"how now?"}},
		{"command", line("/kb list"), nil},
		{"about help", line("help me search"), []string{"help me search"}},
		{"a path", line("/search/index is empty"), []string{"/search/index is empty"}},
		{"nearly a command's name", line("/kbfoo list"), []string{"/kbfoo list"}},
	}
	r := newRoom(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r.questions = nil
			if err := r.router.Handle(t.Context(), c.m, new(gatewaytest.Recorder)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, r.questions); diff != "" {
				t.Error("questions (-want +got):\n" + diff)
			}
		})
	}
}

// A question that is refused is told so as a command is, however it was asked.
func TestQuestionRefused(t *testing.T) {
	r := newRoom(t)
	r.unanswer = fmt.Errorf("search for an answer: %w", knowledge.Refuse(knowledge.RequestTooLarge, "the query is too long: shorten it"))
	want := gateway.Reply{Text: "The query is too long: shorten it.", Code: string(knowledge.RequestTooLarge), Ephemeral: true}
	for _, text := range []string{"How do I add a column?", "/kb ask How do I add a column?"} {
		if diff := cmp.Diff(want, r.say(t, line(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// The help shows each person what that person may do.
func TestHelp(t *testing.T) {
	r := newRoom(t)
	for name, c := range map[string]struct {
		m         gateway.Message
		has, lack []string
	}{
		"admin": {line("/kb help"), []string{"`/kb search <id or *> <query> [--limit N]`", "`/kb delete <id>`"}, nil},
		"guest": {guest("/kb help"), []string{"`/kb search <id or *> <query> [--limit N]`", "`/kb why`"}, []string{"delete", "crawl <id>"}},
		"word":  {line("help"), []string{"`/kb delete <id>`"}, nil},
		"slash": {guest("/help"), []string{"`/kb why`"}, []string{"delete"}},
		"home":  {guest("/kb"), []string{"There is no library yet.", "Commands: `list`, `help`"}, []string{"crawl"}},
		"first": {line("/kb"), []string{"There is no library yet. `/kb crawl <id> <url>` makes one."}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := r.say(t, c.m).Text
			for _, s := range c.has {
				if !strings.Contains(text, s) {
					t.Errorf("lacks %q:\n%s", s, text)
				}
			}
			for _, s := range c.lack {
				if strings.Contains(text, s) {
					t.Errorf("has %q:\n%s", s, text)
				}
			}
		})
	}
}

// A fault is the gateway's to log; nothing is replied beside it.
func TestFaults(t *testing.T) {
	r := newRoom(t)
	r.search.err = errors.New("disk I/O error")
	r.jobs.err = errors.New("disk I/O error")
	for _, text := range []string{"/kb search * vacuum", "/kb crawl pg https://pg.test/", "/kb add pg https://pg.test/"} {
		var rec gatewaytest.Recorder
		if err := r.router.Handle(t.Context(), line(text), &rec); err == nil || len(rec.Replies()) > 0 {
			t.Errorf("%s: error %v, replies %v", text, err, rec.Replies())
		}
	}
	_ = r.db.Close()
	for _, text := range []string{"/kb", "/kb list", "/kb status pg", "/kb delete pg", "/kb gone pg", "/kb archive pg", "/kb inject off", "/kb why", "/kb confirm abcdef"} {
		var rec gatewaytest.Recorder
		if err := r.router.Handle(t.Context(), line(text), &rec); err == nil || len(rec.Replies()) > 0 {
			t.Errorf("closed store, %s: error %v, replies %v", text, err, rec.Replies())
		}
	}
}

// The switches reach the store.
func TestSwitches(t *testing.T) {
	r := newRoom(t)
	r.furnish(t)
	for _, text := range []string{"/kb inject pg on", "/kb nightly pg on", "/kb archive pg", "/kb inject off"} {
		r.say(t, line(text))
	}
	lib, err := r.db.Library(t.Context(), "pg")
	if err != nil || !lib.AutoInject || !lib.Nightly || !lib.Archived {
		t.Errorf("library %+v, %v", lib, err)
	}
	if v, _ := r.db.Setting(t.Context(), knowledge.SettingInject); v != knowledge.SettingOff {
		t.Errorf("kill switch %q", v)
	}
	for _, text := range []string{"/kb inject pg off", "/kb nightly pg off", "/kb unarchive pg", "/kb inject on"} {
		r.say(t, line(text))
	}
	lib, err = r.db.Library(t.Context(), "pg")
	if err != nil || lib.AutoInject || lib.Nightly || lib.Archived {
		t.Errorf("library %+v, %v", lib, err)
	}
	if v, _ := r.db.Setting(t.Context(), knowledge.SettingInject); v != knowledge.SettingOn {
		t.Errorf("kill switch %q", v)
	}
}

// A list says what is being done, also for a library that its crawl has not made yet.
func TestListOfWork(t *testing.T) {
	r := newRoom(t)
	r.begin(t, knowledge.Job{Library: "pg", Start: "https://pg.test/"}, document("https://pg.test/", "One"))
	r.begin(t, knowledge.Job{Library: "unborn", Start: "https://x.test/"})
	want := "2 libraries:\n\n- **pg**: 1 page, 1 passage, checked 3 days ago (crawling 1 of 200)\n- **unborn**: crawling 0 of 200"
	if got := r.say(t, guest("/kb list")).Text; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := r.say(t, line("/kb delete pg")); got.Code != string(knowledge.CrawlOwnsLibrary) {
		t.Errorf("delete while crawling: %+v", got)
	}
}
