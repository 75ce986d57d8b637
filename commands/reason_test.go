package commands

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"footnote/gateway"
	"footnote/gateway/gatewaytest"
	"footnote/knowledge"
)

// Sites choose the addresses and labels that reasons repeat: none of it is markup.
func TestReasonIsNoMarkup(t *testing.T) {
	cases := []struct{ name, reason, want string }{
		{"what we say", "it is busy: wait, or `/kb cancel pg`", "it is busy: wait, or `/kb cancel pg`"},
		{"two commands", "`/kb a` or `/kb b`", "`/kb a` or `/kb b`"},
		{"a link", "https://a.test/[x](https://evil.test/) is gone", `https://a.test/[x\](https://evil.test/) is gone`},
		{"bold", "a.test/**x** is gone", `a.test/\*\*x\*\* is gone`},
		{"a fence", "is image/```[x](https://evil.test/)`", "is image/\\`\\`\\`[x\\](https://evil.test/)\\`"},
		{"a link between marks", "a`` [x](https://evil.test/) ``b", "a\\`\\` [x\\](https://evil.test/) \\`\\`b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := reason(c.reason); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			job := knowledge.Job{Library: "pg", Kind: knowledge.JobCrawl, State: knowledge.Failed, Reason: c.reason}
			if text := Outcome(job).Text; !strings.Contains(text, c.want) {
				t.Errorf("announced as %q", text)
			}
		})
	}
}

// What a person typed stays out of the log, also where a refusal repeats it.
func TestRefusalsKeepTextOutOfTheLog(t *testing.T) {
	var log bytes.Buffer
	r := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, text := range []string{"/kb crawl x hunter2", "/kb search --limit hunter2 x y", "/kb archive ((hunter2)) x"} {
		invocation, _ := gateway.ParseInvocation(text)
		m := gateway.Message{Text: text, Invocation: &invocation, Addressed: true, User: gateway.User{Admin: true}}
		if err := r.Handle(context.Background(), m, new(gatewaytest.Recorder)); err != nil {
			t.Fatal(err)
		}
	}
	if got := log.String(); strings.Contains(got, "hunter2") || strings.Count(got, "message refused") != 3 {
		t.Errorf("logged:\n%s", got)
	}
}
