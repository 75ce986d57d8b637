package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/commands"
	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"
)

// However much there is, a reply stays readable and says what it left out.
func TestLongLists(t *testing.T) {
	r := newRoom(t)
	for i := range 53 {
		id := fmt.Sprintf("lib%02d", i)
		r.fill(t, knowledge.Job{Library: id, Start: "https://x.test/"}, document("https://x.test/", id))
	}
	var failures []knowledge.Visited
	for i := range 25 {
		failures = append(failures, missed(fmt.Sprintf("https://x.test/%02d", i), knowledge.Unfetched, knowledge.ConnectError, "reset"))
	}
	r.fill(t, knowledge.Job{Library: "broken", Start: "https://x.test/"}, append(failures, document("https://x.test/", "X"))...)

	for _, c := range []struct {
		line, says string
		lines      int
	}{
		{"/kb list", "4 more are not shown; `/kb status <id>` has each.", 50},
		{"/kb status broken failed", "5 more are not shown.", 20},
	} {
		got := r.say(t, guest(c.line)).Text
		if n := strings.Count(got, "\n- "); n != c.lines || !strings.HasSuffix(got, c.says) {
			t.Errorf("%s: %d lines, ends %q", c.line, n, got[max(0, len(got)-80):])
		}
	}
}

// Whatever follows "crawl" is a crawl of an address, or refused with the usage.
func FuzzCrawlWords(f *testing.F) {
	for _, s := range []string{
		"pg https://pg.test/ 50", "https://pg.test/ pg", "“a b” <https://x.test/|x> --scope domain", "pg x.test —robots off", "-- --", "a\nb\nc", "= =", "[::1] x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		played := &playedJobs{started: knowledge.CrawlStarted{Job: knowledge.Job{Library: "pg"}}}
		router := commands.New(commands.Options{Jobs: played, Questions: gateway.HandlerFunc(nil)})
		var rec gatewaytest.Recorder
		if err := router.Handle(t.Context(), line("/kb crawl "+words), &rec); err != nil {
			t.Fatal(err)
		}
		got := rec.Last()
		switch {
		case len(played.asked) == 1:
			if !strings.Contains(played.last.URL, ":") || played.last.Library == "" || played.last.MaxPages < 0 || got.Code != "" {
				t.Errorf("asked for %+v, replied %+v", played.last, got)
			}
		case got.Code != string(knowledge.InvalidRequest) || !strings.Contains(got.Text, "Usage: `/kb crawl"):
			t.Errorf("replied %+v", got)
		}
	})
}
