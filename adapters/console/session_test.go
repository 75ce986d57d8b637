package console_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"footnote/adapters/console"
	"footnote/gateway"
)

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	up    = "\x1b[A"
)

// conversation is a person at a prompt, in a synctest bubble.
type conversation struct {
	t       *testing.T
	adapter *console.Adapter
	gateway *gateway.Gateway
	keys    *io.PipeWriter
	out     *output
	ended   <-chan error
}

func converse(t *testing.T, o console.Options, h gateway.HandlerFunc, settle func(context.Context) error) conversation {
	t.Helper()
	in, keys := io.Pipe()
	c := conversation{t: t, keys: keys, out: new(output)}
	o.In, o.Out, o.Interactive = in, c.out, true
	c.adapter, c.gateway, c.ended = serve(t.Context(), t, o, h, settle)
	synctest.Wait()
	return c
}

// types sends keys and gives what the screen got until everything waits again.
func (c conversation) types(keys string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.keys, keys); err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
	return c.out.take()
}

// expect is types with the output held against want, in which "\n" is the terminal's "\r\n".
func (c conversation) expect(keys, want string) {
	c.t.Helper()
	if d := cmp.Diff(strings.ReplaceAll(want, "\n", "\r\n"), c.types(keys)); d != "" {
		c.t.Errorf("after %q (-want +got):\n%s", keys, d)
	}
}

// leaves ends the conversation with keys.
func (c conversation) leaves(keys string) {
	c.t.Helper()
	c.types(keys)
	if err := <-c.ended; err != nil {
		c.t.Errorf("Run = %v", err)
	}
	if got := c.out.take(); got != "" {
		c.t.Errorf("after the end: %q", got)
	}
}

func TestAConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{Banner: "**Footnote**: type `/kb help`."}, echo, nil)
		c.expect("", "Footnote: type /kb help.\n\n> ")
		c.expect("hello\r", "hello\nyou said hello\n\n> ")
		c.expect("\r", "\n> ")
		if err := c.adapter.Send(t.Context(), "console:old", gateway.Reply{Text: "The crawl of **docs** is completed."}); err != nil {
			t.Fatal(err)
		}
		c.expect("", "\x1b[2D\x1b[KThe crawl of docs is completed.\n\n> ")
		// What was half typed is there again after an announcement.
		c.expect("/kb li", "/kb li")
		if err := c.adapter.Send(t.Context(), "console:old", gateway.Reply{Text: "Another."}); err != nil {
			t.Fatal(err)
		}
		c.expect("st\r", "\x1b[8D\x1b[KAnother.\n\n> /kb list\nyou said /kb list\n\n> ")
		c.leaves(ctrlD)
	})
}

func TestCtrlCAtThePrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{}, echo, nil)
		c.types("half")
		c.types(ctrlC)
		c.expect("x\r", "x\nyou said x\n\n> ") // the half line was cleared, the end not near
		hint := "\x1b[2D\x1b[KPress Ctrl-C again, or Ctrl-D, to leave.\n\n> "
		c.expect(ctrlC, hint)
		c.expect("y\r", "y\nyou said y\n\n> ") // typing takes that back
		c.expect(ctrlC, hint)
		c.expect("\r", "\n> ") // so does an empty line
		c.expect(ctrlC, hint)
		c.types("z")
		c.types(ctrlC) // clears
		c.expect(ctrlC, hint)
		c.expect("\x1c", "") // the stand-in for Ctrl-C is not a key of its own
		c.leaves(ctrlC)
	})
}

func TestCtrlCStopsATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stopped error
		c := converse(t, console.Options{}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			if m.Text != "slow" {
				return echo(ctx, m, r)
			}
			if err := r.Typing(ctx); err != nil {
				return err
			}
			<-ctx.Done()
			stopped = context.Cause(ctx)
			return ctx.Err()
		}, nil)
		c.out.take()
		c.expect("slow\r", "slow\n\r\x1b[K…")
		c.expect("typed ahead"+ctrlC, "\r\x1b[KStopped.\n\n> ")
		if !errors.Is(stopped, gateway.ErrStopped) {
			t.Errorf("the handler's context ended with %v, want ErrStopped", stopped)
		}
		c.expect("next\r", "next\nyou said next\n\n> ")
		c.leaves(ctrlD)
	})
}

func TestCtrlCLeavesAJobInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := make(chan struct{})
		var progress gateway.Responder
		c := converse(t, console.Options{Width: func() int { return 80 }}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			if m.Text != "/kb crawl docs u" {
				return echo(ctx, m, r)
			}
			progress = r
			return r.Reply(ctx, gateway.Reply{Text: "Crawling **docs**", Progress: &gateway.Progress{Total: 200, Unit: "pages"}})
		}, func(ctx context.Context) error {
			select {
			case <-job:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		c.out.take()
		c.expect("/kb crawl docs u\r", "/kb crawl docs u\n\r\x1b[KCrawling docs · 0 of 200 pages · 0 % · Ctrl-C gives the prompt back")
		update := func(done int) {
			if err := progress.Update(t.Context(), gateway.Reply{Text: "Crawling docs", Progress: &gateway.Progress{Done: done, Total: 200, Unit: "pages"}}); err != nil {
				t.Fatal(err)
			}
		}
		update(1)
		update(2) // in place, each is shown
		c.expect("", "\r\x1b[KCrawling docs · 1 of 200 pages · 0 % · Ctrl-C gives the prompt back\r\x1b[KCrawling docs · 2 of 200 pages · 1 % · Ctrl-C gives the prompt back")
		c.expect(ctrlC, "\r\x1b[KThe job goes on in the background; /kb cancel <id> stops it.\n\n> ")
		update(50) // a prompt is not disturbed
		c.expect("", "")
		close(job)
		c.expect("x\r", "x\nyou said x\n\n> ")
		c.leaves(ctrlD)
		update(60) // nor is what the shell shows then
		if got := c.out.take(); got != "" {
			t.Errorf("after the end: %q", got)
		}
	})
}

func TestTypingAheadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{}, func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
			time.Sleep(time.Second)
			return echo(ctx, m, r)
		}, nil)
		c.out.take()
		c.expect("a\rb\r", "a\n")
		time.Sleep(5 * time.Second)
		c.expect("", "you said a\n\n> b\nyou said b\n\n> ")
		c.leaves(ctrlD)
	})
}

func TestTabCompletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{Subcommands: []string{"list", "search", "status", "start"}}, echo, nil)
		c.out.take()
		cases := []struct{ typed, want string }{
			{"/\tl\t", "/kb list "},
			{"/kb se\tpg", "/kb search pg"},
			{"/kb st\tr\t", "/kb start "},
			{"/kb x\t", "/kb x"},
			{"/kb search a\tb", "/kb search ab"},
			{"wh\ty", "why"},
			{"\t", ""},
			{"/KB LI\t", "/KB list "},
		}
		for _, k := range cases {
			got := c.types(k.typed + "\r")
			if want := "you said " + strings.TrimSpace(k.want); k.want != "" && !strings.Contains(got, want) {
				t.Errorf("after %q: %q, want %q", k.typed, got, want)
			}
		}
		if got := c.types("/kb st\t\t"); !strings.Contains(got, "start · status") {
			t.Errorf("candidates: %q", got)
		}
		c.leaves(ctrlC + ctrlD)
	})
}

func TestHistoryIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	var old strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&old, "line %d\n", i)
	}
	if err := os.WriteFile(file, []byte(old.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"first", "second"} {
		synctest.Test(t, func(t *testing.T) {
			c := converse(t, console.Options{HistoryFile: file}, echo, nil)
			c.types(typed + "\r")
			c.types(typed + "\r") // once is enough
			c.types("  \r")
			c.leaves(ctrlD)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{HistoryFile: file}, echo, nil)
		if got := c.types(up + up + up + "!\r"); !strings.Contains(got, "you said line 1199!") {
			t.Errorf("three up: %q", got)
		}
		c.leaves(ctrlD)
	})
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %o, want 600", info.Mode().Perm())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if d := cmp.Diff([]string{"line 1199", "first", "second", "line 1199!"}, lines[len(lines)-4:]); d != "" {
		t.Errorf("the file's end (-want +got):\n%s", d)
	}
	if len(lines) > 1004 {
		t.Errorf("%d lines are kept", len(lines))
	}
}

func TestANewHistoryIsPrivate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{HistoryFile: file}, echo, nil)
		c.types("x\r")
		c.leaves(ctrlD)
	})
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %o, want 600", info.Mode().Perm())
	}
}

func TestAHistoryThatCannotBeReadStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{HistoryFile: t.TempDir()}, echo, nil)
		c.types("x\r")
		if got := c.types(up); !strings.HasSuffix(got, "x") {
			t.Errorf("up: %q, want the line of this run", got)
		}
		c.leaves(ctrlC + ctrlD)
	})
}

func TestWordsThatLeave(t *testing.T) {
	for _, word := range []string{"exit", " Quit ", "/exit", "/quit"} {
		t.Run(word, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := converse(t, console.Options{}, echo, nil)
				c.out.take()
				c.expect("how do I quit?\r", "how do I quit?\nyou said how do I quit?\n\n> ")
				c.leaves(word + "\r")
			})
		})
	}
}

func TestTheInputsEndEndsTheConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, console.Options{}, echo, nil)
		if err := c.keys.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-c.ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}
