package gateway_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"footnote/gateway"
	"footnote/gateway/gatewaytest"
)

// dying is an adapter whose runs end as its function says; n counts from 1.
type dying struct {
	*gatewaytest.Adapter
	run func(ctx context.Context, n int) error
	n   int
	at  []time.Time
}

func (d *dying) Name() gateway.Platform { return "telegram" }

func (d *dying) Run(ctx context.Context, _ gateway.Handler) error {
	d.n++
	d.at = append(d.at, time.Now())
	return d.run(ctx, d.n)
}

func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dying{run: func(context.Context, int) error { return io.ErrUnexpectedEOF }}
		g := start(t, gateway.Options{Adapters: []gateway.Adapter{d}, Log: slog.New(slog.DiscardHandler)}, echo)
		time.Sleep(10 * time.Minute)
		g.finish(t)
		exact := 0
		want := time.Second
		for i := 1; i < len(d.at); i++ {
			pause := d.at[i].Sub(d.at[i-1])
			if pause < want/2 || pause > want {
				t.Errorf("pause %d = %s, want %s to %s", i, pause, want/2, want)
			}
			if pause == want || pause == want/2 {
				exact++
			}
			want = min(2*want, time.Minute)
		}
		if len(d.at) < 12 {
			t.Errorf("%d runs in ten minutes", len(d.at))
		}
		if exact > len(d.at)/2 {
			t.Errorf("%d of %d pauses have no jitter", exact, len(d.at)-1)
		}
	})
}

func TestBackOffStartsOverAfterAGoodRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dying{}
		d.run = func(_ context.Context, n int) error {
			if n == 6 {
				time.Sleep(time.Hour)
			}
			return io.ErrUnexpectedEOF
		}
		g := start(t, gateway.Options{Adapters: []gateway.Adapter{d}, Log: slog.New(slog.DiscardHandler)}, echo)
		time.Sleep(2 * time.Hour)
		g.finish(t)
		if pause := d.at[5].Sub(d.at[4]); pause < 8*time.Second {
			t.Errorf("the fifth pause = %s", pause)
		}
		if pause := d.at[6].Sub(d.at[5]) - time.Hour; pause > time.Second {
			t.Errorf("the pause after an hour's run = %s, want a second at most", pause)
		}
	})
}

func TestOneAdapterDownStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("token refused")
		d := &dying{run: func(_ context.Context, n int) error {
			if n == 1 {
				panic("nil message")
			}
			return errors.Join(gateway.ErrFinal, bad)
		}}
		g := start(t, gateway.Options{Adapters: []gateway.Adapter{d}, Log: slog.New(slog.DiscardHandler)}, echo)
		if h := g.Health()[1]; h.State != gateway.StateWaiting || h.Err == nil {
			t.Errorf("after the panic health = %+v", h)
		}
		time.Sleep(time.Minute)
		begin := time.Now()
		r, err := g.adapter.Deliver(t.Context(), say("C1", "x"))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Idle(t.Context(), "slack/T1/C1/"); err != nil {
			t.Fatal(err)
		}
		if r.Last().Text != "you said x" {
			t.Errorf("replies = %+v", r.Replies())
		}
		time.Sleep(time.Second)
		want := []gateway.Health{
			{Platform: "slack", State: gateway.StateRunning, LastEvent: begin, Runs: 1},
			{Platform: "telegram", State: gateway.StateFailed, Runs: 2},
		}
		got := g.Health()
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(gateway.Health{}, "Since", "Err")); d != "" {
			t.Errorf("health (-want +got):\n%s", d)
		}
		if !errors.Is(got[1].Err, bad) {
			t.Errorf("health's error = %v, want %v", got[1].Err, bad)
		}
		g.stop()
		if err := <-g.ended; !errors.Is(err, bad) {
			t.Errorf("Run = %v, want the error of the adapter that failed for good", err)
		}
	})
}

func TestAnnounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, gateway.Options{}, echo)
		defer g.finish(t)
		if err := g.Announce(t.Context(), "slack:T1/C1", gateway.Reply{Text: "done"}); err != nil {
			t.Fatal(err)
		}
		want := []gatewaytest.Sent{{To: "slack:T1/C1", Reply: gateway.Reply{Text: "done"}}}
		if d := cmp.Diff(want, g.adapter.Sent()); d != "" {
			t.Errorf("sent (-want +got):\n%s", d)
		}
		for _, to := range []gateway.Address{"", ":", "slackish:1", "discord:1"} {
			if err := g.Announce(t.Context(), to, gateway.Reply{}); !errors.Is(err, gateway.ErrDown) {
				t.Errorf("Announce(%q) = %v, want ErrDown", to, err)
			}
		}
		broken := errors.New("channel archived")
		g.adapter.FailSend(broken)
		if err := g.Announce(t.Context(), "slack:T1/C1", gateway.Reply{}); !errors.Is(err, broken) {
			t.Errorf("Announce = %v, want the adapter's error", err)
		}
		g.adapter.FailSend(nil)
		g.adapter.End(io.EOF)
		synctest.Wait()
		if err := g.Announce(t.Context(), "slack:T1/C1", gateway.Reply{}); !errors.Is(err, gateway.ErrDown) {
			t.Errorf("Announce while down = %v, want ErrDown", err)
		}
		time.Sleep(time.Second)
		if err := g.Announce(t.Context(), "slack:T1/C1", gateway.Reply{}); err != nil {
			t.Errorf("Announce when up again = %v", err)
		}
	})
}
