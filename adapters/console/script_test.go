package console_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/adapters/console"
	"footnote/gateway"
)

// output is a writer that may be read while it is written.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// take gives what was written since the last take.
func (o *output) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.buf.Reset()
	return o.buf.String()
}

// serve runs a gateway over a terminal to its end and waits, as main does, for the
// lane and then for settle.
func serve(ctx context.Context, t *testing.T, o console.Options, h gateway.HandlerFunc, settle func(context.Context) error) (*console.Adapter, *gateway.Gateway, <-chan error) {
	t.Helper()
	var g *gateway.Gateway
	o.Settle = func(ctx context.Context, m gateway.Message) error {
		if err := g.Idle(ctx, m.Conversation()); err != nil || settle == nil {
			return err
		}
		return settle(ctx)
	}
	a := console.New(o)
	g = gateway.New(gateway.Options{
		Adapters: []gateway.Adapter{a}, Handler: h, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	return a, g, ended
}

func echo(ctx context.Context, m gateway.Message, r gateway.Responder) error {
	return r.Reply(ctx, gateway.Reply{Text: "you said " + m.Text})
}

func TestAScriptIsOneMessageALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out output
		var got []string
		in := "# a comment\n/kb list\n\n  \n  # another\r\nwhat is vacuum?\r\n\u00ffumlaut \xff\nlast, without an end"
		_, _, ended := serve(t.Context(), t, console.Options{In: strings.NewReader(in), Out: &out},
			func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
				if !m.Addressed || !m.User.Admin || m.Platform != gateway.Console || m.Conversation() != "console//terminal/" || m.At.IsZero() {
					t.Errorf("message = %+v", m)
				}
				got = append(got, m.Text)
				time.Sleep(time.Second)
				return echo(ctx, m, r)
			}, nil)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		want := []string{"/kb list", "what is vacuum?", "\u00ffumlaut \ufffd", "last, without an end"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("messages (-want +got):\n%s", d)
		}
		wantOut := "you said /kb list\n\nyou said what is vacuum?\n\nyou said \u00ffumlaut \ufffd\n\nyou said last, without an end\n\n"
		if d := cmp.Diff(wantOut, out.take()); d != "" {
			t.Errorf("output (-want +got):\n%s", d)
		}
	})
}

func TestTheNextLineWaitsForTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out output
		var jobs sync.WaitGroup
		_, _, ended := serve(t.Context(), t, console.Options{In: strings.NewReader("/kb crawl a b\n/kb list\n"), Out: &out, JSON: true},
			func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
				if m.Invocation.Args[0] != "crawl" {
					return r.Reply(ctx, gateway.Reply{Text: "one library"})
				}
				jobs.Go(func() {
					time.Sleep(time.Minute)
					if err := r.Update(context.WithoutCancel(ctx), gateway.Reply{Progress: &gateway.Progress{Done: 5, Unit: "pages"}}); err != nil {
						t.Error(err)
					}
				})
				return r.Reply(ctx, gateway.Reply{Text: "crawling", Progress: &gateway.Progress{Total: 10, Unit: "pages"}})
			}, func(context.Context) error { jobs.Wait(); return nil })
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		want := `{"reply_to":"1","text":"crawling","progress":{"done":0,"total":10,"unit":"pages"}}
{"reply_to":"1","progress":{"done":5,"total":0,"unit":"pages"}}
{"reply_to":"2","text":"one library","final":true}
`
		if d := cmp.Diff(want, out.take()); d != "" {
			t.Errorf("output (-want +got):\n%s", d)
		}
	})
}

func TestALineThatIsTooLongIsRefusedAlone(t *testing.T) {
	const most = 1 << 20
	cases := []struct {
		name string
		in   string
		want string
	}{
		{"longest", strings.Repeat("x", most) + "\nb\n", `{"reply_to":"1","text":"1048576 bytes","final":true}` + "\n" + `{"reply_to":"2","text":"1 bytes","final":true}` + "\n"},
		{"longest without an end", strings.Repeat("x", most), `{"reply_to":"1","text":"1048576 bytes","final":true}` + "\n"},
		{"one more by a byte", strings.Repeat("x", most+1) + "\nb\n", `{"reply_to":"1","text":"Line 1 is longer than 1048576 bytes and was skipped. Send it in parts.","code":"request_too_large","final":true}
{"reply_to":"2","text":"1 bytes","final":true}
`},
		{"one more with a carriage return", "a\n" + strings.Repeat("x", most+1) + "\r\nb\n", `{"reply_to":"1","text":"1 bytes","final":true}
{"reply_to":"2","text":"Line 2 is longer than 1048576 bytes and was skipped. Send it in parts.","code":"request_too_large","final":true}
{"reply_to":"3","text":"1 bytes","final":true}
`},
		{"far more, at the end", strings.Repeat("x", 3*most), `{"reply_to":"1","text":"Line 1 is longer than 1048576 bytes and was skipped. Send it in parts.","code":"request_too_large","final":true}` + "\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out output
			_, _, ended := serve(t.Context(), t, console.Options{In: strings.NewReader(c.in), Out: &out, JSON: true},
				func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
					return r.Reply(ctx, gateway.Reply{Text: strconv.Itoa(len(m.Text)) + " bytes"})
				}, nil)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, out.take()); d != "" {
				t.Errorf("output (-want +got):\n%s", d)
			}
		})
	}
}

func TestIdsAndAddressesDoNotMeetAnotherRuns(t *testing.T) {
	run := func() (m gateway.Message, a *console.Adapter, out *output) {
		out = new(output)
		a, _, ended := serve(t.Context(), t, console.Options{In: strings.NewReader("x\n"), Out: out, JSON: true},
			func(_ context.Context, got gateway.Message, _ gateway.Responder) error { m = got; return nil }, nil)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		return m, a, out
	}
	first, _, _ := run()
	second, a, out := run()
	if first.ID == second.ID || first.ReplyTo == second.ReplyTo {
		t.Errorf("two runs' first lines: %q and %q, %q and %q", first.ID, second.ID, first.ReplyTo, second.ReplyTo)
	}
	for _, to := range []gateway.Address{second.ReplyTo, first.ReplyTo, "console:"} {
		if err := a.Send(t.Context(), to, gateway.Reply{Text: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"reply_to":"1","text":"done","final":true}
{"text":"done","final":true}
{"text":"done","final":true}
`
	if d := cmp.Diff(want, out.take()); d != "" {
		t.Errorf("announcements (-want +got):\n%s", d)
	}
}

func TestProgressOfAPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out output
		_, _, ended := serve(t.Context(), t, console.Options{In: strings.NewReader("/kb crawl\n"), Out: &out},
			func(ctx context.Context, _ gateway.Message, r gateway.Responder) error {
				for i := range 51 {
					if err := r.Update(ctx, gateway.Reply{Text: "**Crawling** docs", Progress: &gateway.Progress{Done: 4 * i, Total: 200, Unit: "pages"}}); err != nil {
						return err
					}
					if i == 30 {
						time.Sleep(6 * time.Second)
					}
				}
				if err := r.Typing(ctx); err != nil {
					return err
				}
				return r.Update(ctx, gateway.Reply{Text: "Done."})
			}, nil)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		want := `Crawling docs · 0 of 200 pages · 0 %
Crawling docs · 20 of 200 pages · 10 %
Crawling docs · 40 of 200 pages · 20 %
Crawling docs · 60 of 200 pages · 30 %
Crawling docs · 80 of 200 pages · 40 %
Crawling docs · 100 of 200 pages · 50 %
Crawling docs · 120 of 200 pages · 60 %
Crawling docs · 124 of 200 pages · 62 %
Crawling docs · 144 of 200 pages · 72 %
Crawling docs · 164 of 200 pages · 82 %
Crawling docs · 184 of 200 pages · 92 %
Done.

`
		if d := cmp.Diff(want, out.take()); d != "" {
			t.Errorf("output (-want +got):\n%s", d)
		}
	})
}

// shut is an output whose reader has gone.
type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAClosedOutputEndsTheRun(t *testing.T) {
	in, keep, err := os.Pipe() // an input that would go on
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	t.Cleanup(func() { _ = keep.Close() })
	if _, err := io.WriteString(keep, "a\n"); err != nil {
		t.Fatal(err)
	}
	_, _, ended := serve(t.Context(), t, console.Options{In: in, Out: shut{}}, echo, nil)
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) || !errors.Is(err, gateway.ErrFinal) {
		t.Errorf("Run = %v, want the error of writing, final", err)
	}
}

// failing is an input that breaks.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestABrokenInputEndsTheRun(t *testing.T) {
	var out output
	_, _, ended := serve(t.Context(), t, console.Options{In: failing{}, Out: &out}, echo, nil)
	if err := <-ended; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Run = %v, want the error of reading", err)
	}
}

func TestTheEndOfTheContextEndsAReadThatWaits(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	t.Cleanup(func() { _ = w.Close() })
	pipeIn, pipeOut := io.Pipe()
	t.Cleanup(func() { _ = pipeOut.Close() })
	for name, in := range map[string]io.Reader{"file": r, "closer": pipeIn} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			_, _, ended := serve(ctx, t, console.Options{In: in, Out: io.Discard}, echo, nil)
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run = %v", err)
			}
		})
	}
}
