package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/gateway"
	"footnote/gateway/gatewaytest"
)

// started is a gateway with one adapter that runs in the test's bubble until stop.
type started struct {
	*gateway.Gateway
	adapter *gatewaytest.Adapter
	stop    context.CancelFunc
	ended   chan error
}

func start(t *testing.T, o gateway.Options, h gateway.HandlerFunc) started {
	t.Helper()
	a := gatewaytest.NewAdapter("slack", gateway.Capabilities{})
	o.Adapters = append([]gateway.Adapter{a}, o.Adapters...)
	o.Handler = h
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	s := started{Gateway: gateway.New(o), adapter: a, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	s.stop = cancel
	go func() { s.ended <- s.Run(ctx) }()
	synctest.Wait()
	return s
}

// finish stops the gateway and waits for its end.
func (s started) finish(t *testing.T) {
	t.Helper()
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("Run = %v", err)
	}
}

func say(chat, text string) gateway.Message {
	return gateway.Message{
		Workspace: "T1", Chat: gateway.ChatID(chat), Text: text, Addressed: true,
		User: gateway.User{ID: "U1"},
	}
}

func echo(ctx context.Context, m gateway.Message, r gateway.Responder) error {
	return r.Reply(ctx, gateway.Reply{Text: "you said " + m.Text})
}

func TestAMessageIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got gateway.Message
		g := start(t, gateway.Options{}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			got = m
			return echo(ctx, m, r)
		})
		defer g.finish(t)
		r, err := g.adapter.Deliver(t.Context(), say("C1", "/kb search pg x"))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Idle(t.Context(), "slack/T1/C1/"); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]gateway.Reply{{Text: "you said /kb search pg x"}}, r.Replies()); d != "" {
			t.Errorf("replies (-want +got):\n%s", d)
		}
		want := &gateway.Invocation{Name: "kb", Args: []string{"search", "pg", "x"}, Rest: "pg x"}
		if d := cmp.Diff(want, got.Invocation); d != "" {
			t.Errorf("invocation (-want +got):\n%s", d)
		}
		if got.Platform != "slack" {
			t.Errorf("platform = %q, want the adapter's", got.Platform)
		}
	})
}

func TestALaneKeepsOrderAndLanesRunInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type event struct {
			text string
			at   time.Duration
		}
		begin := time.Now()
		events := make(chan event, 10)
		g := start(t, gateway.Options{}, func(_ context.Context, m gateway.Message, _ gateway.Responder) error {
			time.Sleep(time.Second) // the bubble's clock
			events <- event{m.Text, time.Since(begin)}
			return nil
		})
		defer g.finish(t)
		for _, m := range []gateway.Message{say("C1", "a1"), say("C1", "a2"), say("C1", "a3")} {
			if _, err := g.adapter.Deliver(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(1500 * time.Millisecond)
		if _, err := g.adapter.Deliver(t.Context(), say("C2", "b1")); err != nil {
			t.Fatal(err)
		}
		for _, c := range []string{"slack/T1/C1/", "slack/T1/C2/"} {
			if err := g.Idle(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		close(events)
		var got []event
		for e := range events {
			got = append(got, e)
		}
		want := []event{{"a1", time.Second}, {"a2", 2 * time.Second}, {"b1", 2500 * time.Millisecond}, {"a3", 3 * time.Second}}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(event{})); d != "" {
			t.Errorf("order (-want +got):\n%s", d)
		}
	})
}

func TestFailuresOfAHandler(t *testing.T) {
	cases := []struct {
		name       string
		handler    gateway.HandlerFunc
		text, code string
		logged     string
	}{
		{
			"error", func(context.Context, gateway.Message, gateway.Responder) error { return errors.New("the disk is full") },
			"Something went wrong. Error id ", "internal_error", "the disk is full",
		},
		{
			"panic", func(context.Context, gateway.Message, gateway.Responder) error { panic("out of range") },
			"Something went wrong. Error id ", "internal_error", "serve_test.go",
		},
		{
			"timeout", func(ctx context.Context, _ gateway.Message, _ gateway.Responder) error {
				<-ctx.Done()
				return ctx.Err()
			},
			"That took longer than 1 minute and was stopped. Try something smaller, or again later.", "resource_limit", "took too long",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				g := start(t, gateway.Options{Timeout: time.Minute, Log: slog.New(slog.NewTextHandler(&log, nil))},
					func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
						if m.Text == "again" {
							return echo(ctx, m, r)
						}
						return c.handler(ctx, m, r)
					})
				bad, _ := g.adapter.Deliver(t.Context(), say("C1", "a secret question"))
				good, _ := g.adapter.Deliver(t.Context(), say("C1", "again"))
				if err := g.Idle(t.Context(), "slack/T1/C1/"); err != nil {
					t.Fatal(err)
				}
				g.finish(t)
				if len(bad.Replies()) != 1 || !strings.HasPrefix(bad.Last().Text, c.text) || bad.Last().Code != c.code {
					t.Errorf("replies = %+v, want %q with code %s", bad.Replies(), c.text, c.code)
				}
				if good.Last().Text != "you said again" {
					t.Errorf("the next message got %+v", good.Replies())
				}
				if !strings.Contains(log.String(), c.logged) || strings.Count(log.String(), "level=") != 1 {
					t.Errorf("log = %s\nwant one line with %q", &log, c.logged)
				}
				if strings.Contains(log.String(), "secret question") {
					t.Errorf("the message's text is in the log: %s", &log)
				}
				if id, ok := strings.CutPrefix(bad.Last().Text, "Something went wrong. Error id "); ok {
					if id = strings.TrimSuffix(id, "."); len(id) != 6 || !strings.Contains(log.String(), "error_id="+id) {
						t.Errorf("error id %q is not the log's: %s", id, &log)
					}
				}
			})
		})
	}
}

func TestAStoppedTurnIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, gateway.Options{}, func(ctx context.Context, _ gateway.Message, _ gateway.Responder) error {
			<-ctx.Done()
			return ctx.Err()
		})
		defer g.finish(t)
		turn, stop := context.WithCancelCause(t.Context())
		r, _ := g.adapter.Deliver(turn, say("C1", "x"))
		synctest.Wait()
		stop(gateway.ErrStopped)
		begin := time.Now()
		if err := g.Idle(t.Context(), "slack/T1/C1/"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("stopping took %s", took)
		}
		if got := r.Replies(); len(got) != 0 {
			t.Errorf("replies = %+v, want none", got)
		}
	})
}

func TestTheEndOfAMessagesContextLeavesTheHandlerRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, gateway.Options{}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			select {
			case <-time.After(time.Second):
				return echo(ctx, m, r)
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		defer g.finish(t)
		request, done := context.WithCancel(t.Context())
		r, _ := g.adapter.Deliver(request, say("C1", "x"))
		done() // an HTTP request that was acknowledged, say
		if err := g.Idle(t.Context(), "slack/T1/C1/"); err != nil {
			t.Fatal(err)
		}
		if r.Last().Text != "you said x" {
			t.Errorf("replies = %+v", r.Replies())
		}
	})
}

func TestShutdownDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, gateway.Options{Drain: 10 * time.Second, Timeout: time.Hour},
			func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
				wait := 4 * time.Second
				if m.Text == "slow" {
					wait = time.Minute
				}
				select {
				case <-time.After(wait):
					return echo(ctx, m, r)
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		quick, _ := g.adapter.Deliver(t.Context(), say("C1", "quick"))
		next, _ := g.adapter.Deliver(t.Context(), say("C1", "next"))
		slow, _ := g.adapter.Deliver(t.Context(), say("C2", "slow"))
		begin := time.Now()
		g.finish(t)
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("shutdown took %s, want the drain's 10 s", took)
		}
		for _, r := range []*gatewaytest.Recorder{quick, next} {
			if !strings.HasPrefix(r.Last().Text, "you said") {
				t.Errorf("replies = %+v, want the answer", r.Replies())
			}
		}
		if !strings.Contains(slow.Last().Text, "shutting down") {
			t.Errorf("the slow one got %+v", slow.Replies())
		}
	})
}

func TestWhatWasBegunIsFinishedAfterTheLastAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, gateway.Options{Drain: time.Second}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			time.Sleep(30 * time.Second)
			return echo(ctx, m, r)
		})
		r, _ := g.adapter.Deliver(t.Context(), say("C1", "x"))
		g.adapter.End(nil)
		if err := <-g.ended; err != nil {
			t.Fatalf("Run = %v", err)
		}
		if r.Last().Text != "you said x" {
			t.Errorf("replies = %+v", r.Replies())
		}
		if err := g.Announce(t.Context(), "slack:C1", gateway.Reply{}); !errors.Is(err, gateway.ErrDown) {
			t.Errorf("Announce after the end = %v, want ErrDown", err)
		}
		g.stop()
	})
}
