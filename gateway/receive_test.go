package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/gateway"
	"footnote/gateway/gatewaytest"
)

func TestDecide(t *testing.T) {
	cases := []struct {
		name   string
		change func(*gateway.Message)
		want   string // "command", "question" or "" for dropped
	}{
		{"question to the bot", func(m *gateway.Message) { m.Text = "what is vacuum?" }, "question"},
		{"talk among people", func(m *gateway.Message) { m.Text, m.Addressed = "what is vacuum?", false }, ""},
		{"command", func(m *gateway.Message) { m.Text = "/kb list" }, "command"},
		{"command without mention", func(m *gateway.Message) { m.Text, m.Addressed = "/kb list", false }, "command"},
		{"command by mention", func(m *gateway.Message) { m.Text = "@footnote kb list" }, "command"},
		{"command by mention of somebody else", func(m *gateway.Message) { m.Text, m.Addressed = "@carol kb list", false }, ""},
		{"command for another bot", func(m *gateway.Message) { m.Text = "/kb@OtherBot delete docs" }, ""},
		{"native command", func(m *gateway.Message) {
			m.Text, m.Addressed, m.Invocation = "", false, &gateway.Invocation{Name: "kb", Args: []string{"list"}}
		}, "command"},
		{"almost a command", func(m *gateway.Message) { m.Text = "/kbfoo" }, "question"},
		{"edited command", func(m *gateway.Message) { m.Text, m.Edited = "/kb list", true }, ""},
		{"edited question", func(m *gateway.Message) { m.Text, m.Edited = "why?", true }, ""},
		{"forwarded command", func(m *gateway.Message) { m.Text, m.Forwarded = "/kb delete docs", true }, ""},
		{"forwarded question", func(m *gateway.Message) { m.Text, m.Forwarded = "why?", true }, "question"},
		{"another bot's command", func(m *gateway.Message) { m.Text, m.FromBot = "/kb list", true }, ""},
		{"another bot's question", func(m *gateway.Message) { m.Text, m.FromBot = "why?", true }, ""},
		{"nothing but a mention", func(m *gateway.Message) { m.Text = " \u00a0" }, ""},
		{"a file without words", func(m *gateway.Message) { m.Text, m.Files = "", []gateway.File{{Name: "a.pdf"}} }, "question"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := ""
				g := start(t, gateway.Options{}, func(_ context.Context, m gateway.Message, _ gateway.Responder) error {
					got = "question"
					if m.Invocation != nil {
						got = "command"
					}
					return nil
				})
				m := say("C1", "")
				c.change(&m)
				r, err := g.adapter.Deliver(t.Context(), m)
				if err != nil {
					t.Errorf("Handle = %v", err)
				}
				g.finish(t)
				if got != c.want {
					t.Errorf("handled as %q, want %q", got, c.want)
				}
				if len(r.Replies()) != 0 {
					t.Errorf("replies = %+v, want none", r.Replies())
				}
			})
		})
	}
}

// memory is a Dedupe; err is what it gives instead of remembering.
type memory struct {
	keys map[string]bool
	err  error
}

func (d *memory) Seen(_ context.Context, key string, _ time.Time) (bool, error) {
	if d.err != nil {
		return false, d.err
	}
	seen := d.keys[key]
	d.keys[key] = true
	return seen, nil
}

func TestDedupe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		d := &memory{keys: map[string]bool{}}
		g := start(t, gateway.Options{Dedupe: d, Log: slog.New(slog.DiscardHandler)},
			func(_ context.Context, m gateway.Message, _ gateway.Responder) error {
				got = append(got, m.Text)
				return nil
			})
		deliver := func(text, event, id, thread string, change ...func(*gateway.Message)) {
			m := say("C1", text)
			m.EventID, m.ID, m.Thread = event, gateway.MessageID(id), thread
			for _, f := range change {
				f(&m)
			}
			if _, err := g.adapter.Deliver(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		deliver("first", "E1", "1.0", "")
		deliver("retry of the event", "E1", "1.0", "")
		deliver("same post, other event", "E2", "1.0", "1.0")
		deliver("same event, other post", "E2", "2.0", "")
		deliver("second", "E3", "3.0", "")
		deliver("other chat", "E4", "3.0", "", func(m *gateway.Message) { m.Chat = "C2" })
		deliver("other workspace", "E4", "3.0", "", func(m *gateway.Message) { m.Workspace = "T2" })
		deliver("without ids", "", "", "")
		deliver("without ids again", "", "", "")
		d.err = errors.New("store is opening")
		deliver("record not available", "E1", "1.0", "")
		g.finish(t)
		want := []string{"first", "second", "other chat", "other workspace", "without ids", "without ids again", "record not available"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("handled (-want +got):\n%s", d)
		}
	})
}

func TestAdmins(t *testing.T) {
	admins := []string{"slack:U1", "slack:T2/U2", "discord:role:5", "slack:"}
	cases := []struct {
		name      string
		platform  gateway.Platform
		workspace string
		user      gateway.User
		want      bool
	}{
		{"by id in any workspace", "slack", "T9", gateway.User{ID: "U1"}, true},
		{"by id in that workspace", "slack", "T2", gateway.User{ID: "U2"}, true},
		{"same id in another workspace", "slack", "T1", gateway.User{ID: "U2"}, false},
		{"same id on another platform", "telegram", "", gateway.User{ID: "U1"}, false},
		{"by role", "discord", "", gateway.User{ID: "7", Roles: []string{"4", "5"}}, true},
		{"same role on another platform", "slack", "T1", gateway.User{ID: "U7", Roles: []string{"5"}}, false},
		{"id that looks like a role", "discord", "", gateway.User{ID: "5"}, false},
		{"adapter's claim", "slack", "T1", gateway.User{ID: "U7", Admin: true}, false},
		{"nobody", "slack", "T1", gateway.User{}, false},
		{"terminal", "console", "", gateway.User{ID: "local"}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := gatewaytest.NewAdapter(c.platform, gateway.Capabilities{})
				var got bool
				g := start(t, gateway.Options{Admins: admins, Adapters: []gateway.Adapter{a}},
					func(_ context.Context, m gateway.Message, _ gateway.Responder) error {
						got = m.User.Admin
						return nil
					})
				m := gateway.Message{Platform: "console", Workspace: c.workspace, User: c.user, Text: "/kb delete x"}
				if _, err := a.Deliver(t.Context(), m); err != nil {
					t.Fatal(err)
				}
				g.finish(t)
				if got != c.want {
					t.Errorf("Admin = %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handled := 0
		g := start(t, gateway.Options{RatePerMinute: 3}, func(context.Context, gateway.Message, gateway.Responder) error {
			handled++
			return nil
		})
		defer g.finish(t)
		var told []string
		deliver := func(user gateway.UserID) error {
			m := say("C1", "x")
			m.User.ID = user
			r, err := g.adapter.Deliver(t.Context(), m)
			for _, reply := range r.Replies() {
				told = append(told, reply.Code)
			}
			synctest.Wait()
			return err
		}
		for i := range 6 {
			if err := deliver("U1"); errors.Is(err, gateway.ErrRefused) != (i >= 3) {
				t.Errorf("message %d: %v", i+1, err)
			}
		}
		if err := deliver("U2"); err != nil {
			t.Errorf("another person: %v", err)
		}
		if d := cmp.Diff([]string{"rate_limited"}, told); d != "" {
			t.Errorf("told (-want +got):\n%s", d)
		}
		time.Sleep(20 * time.Second) // one message's worth
		if err := deliver("U1"); err != nil {
			t.Errorf("after the pause: %v", err)
		}
		if err := deliver("U1"); !errors.Is(err, gateway.ErrRefused) {
			t.Errorf("right after that: %v", err)
		}
		if len(told) != 2 || handled != 5 {
			t.Errorf("told %d times, handled %d; want 2 and 5", len(told), handled)
		}
	})
}

func TestTheTerminalIsNotLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := gatewaytest.NewAdapter(gateway.Console, gateway.Capabilities{})
		g := start(t, gateway.Options{RatePerMinute: 1, Adapters: []gateway.Adapter{a}}, echo)
		defer g.finish(t)
		for i := range 20 {
			if _, err := a.Deliver(t.Context(), say("terminal", "x")); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			synctest.Wait()
		}
	})
}

func TestFullLanesSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		g := start(t, gateway.Options{LaneDepth: 2, MaxLanes: 2}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			<-release
			return echo(ctx, m, r)
		})
		defer g.finish(t)
		cases := []struct{ chat, want string }{
			{"C1", ""},
			{"C1", ""},
			{"C1", ""}, // one being answered, two waiting
			{"C1", "There are 2 messages waiting in this conversation"},
			{"C2", ""},
			{"C3", "Too many conversations"},
		}
		for i, c := range cases {
			r, err := g.adapter.Deliver(t.Context(), say(c.chat, fmt.Sprint(i)))
			synctest.Wait()
			if errors.Is(err, gateway.ErrRefused) != (c.want != "") {
				t.Errorf("message %d: %v", i, err)
			}
			if got := r.Last(); !strings.HasPrefix(got.Text, c.want) || c.want != "" && got.Code != "resource_limit" {
				t.Errorf("message %d: told %+v, want %q", i, got, c.want)
			}
		}
		close(release)
		synctest.Wait()
		if r, err := g.adapter.Deliver(t.Context(), say("C3", "again")); err != nil {
			t.Errorf("when the lanes have ended: %v, %+v", err, r.Replies())
		}
	})
}

func TestIdleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		g := start(t, gateway.Options{}, func(context.Context, gateway.Message, gateway.Responder) error {
			<-release
			return nil
		})
		defer g.finish(t)
		if _, err := g.adapter.Deliver(t.Context(), say("C1", "x")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Idle(ctx, "slack/T1/C1/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Idle of a busy lane = %v", err)
		}
		if err := g.Idle(ctx, "slack/T1/C9/"); err != nil {
			t.Errorf("Idle of no lane = %v", err)
		}
		close(release)
	})
}
