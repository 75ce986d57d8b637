package console_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"footnote/adapters/console"
	"footnote/gateway"
)

// openTerminal gives both ends of a pseudo-terminal.
func openTerminal(t *testing.T) (person *watcher, program *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return &watcher{File: master}, program
}

// modes are the terminal's settings, but for what the kernel changes by itself.
func modes(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

// watcher is a person who reads the screen.
type watcher struct {
	*os.File
	ahead []byte // read, not yet asked for
}

// until reads up to and with text.
func (w *watcher) until(t *testing.T, text string) {
	t.Helper()
	for buf := make([]byte, 256); ; {
		if i := bytes.Index(w.ahead, []byte(text)); i >= 0 {
			w.ahead = w.ahead[i+len(text):]
			return
		}
		n, err := w.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q, want %q", err, w.ahead, text)
		}
		w.ahead = append(w.ahead, buf[:n]...)
	}
}

func TestTheTerminalIsRestored(t *testing.T) {
	cases := []struct {
		name string
		end  func(person io.Writer, cancel func()) error
	}{
		{"Ctrl-D", func(person io.Writer, _ func()) error { _, err := io.WriteString(person, ctrlD); return err }},
		{"Ctrl-C twice", func(person io.Writer, _ func()) error { _, err := io.WriteString(person, ctrlC+ctrlC); return err }},
		{"end of the context", func(_ io.Writer, cancel func()) error { cancel(); return nil }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			person, program := openTerminal(t)
			before := modes(t, program)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, _, ended := serve(ctx, t, console.Options{In: program, Out: program, Interactive: true, Banner: "Hello."},
				func(ctx context.Context, m gateway.Message, r gateway.Responder) error {
					if m.Text == "panic" {
						panic("in a handler")
					}
					return echo(ctx, m, r)
				}, nil)
			person.until(t, "Hello.\r\n\r\n> ")
			if during := modes(t, program); during.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
				t.Errorf("not in raw mode: %+v", during)
			}
			if _, err := io.WriteString(person, "what is é?\r"); err != nil {
				t.Fatal(err)
			}
			person.until(t, "you said what is é?\r\n\r\n> ")
			if _, err := io.WriteString(person, "panic\r"); err != nil {
				t.Fatal(err)
			}
			person.until(t, "Something went wrong")
			person.until(t, "> ")
			if err := c.end(person, cancel); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Errorf("Run = %v", err)
			}
			if d := cmp.Diff(before, modes(t, program)); d != "" {
				t.Errorf("the terminal's modes (-before +after):\n%s", d)
			}
		})
	}
}

func TestAPanicOfTheTerminalRestoresIt(t *testing.T) {
	person, program := openTerminal(t)
	before := modes(t, program)
	a := console.New(console.Options{In: program, Out: program, Interactive: true})
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		_ = a.Run(t.Context(), gateway.HandlerFunc(func(context.Context, gateway.Message, gateway.Responder) error { panic("lost") }))
	}()
	person.until(t, "> ")
	if _, err := io.WriteString(person, "x\r"); err != nil {
		t.Fatal(err)
	}
	if got := <-panicked; got != "lost" {
		t.Fatalf("recovered %v", got)
	}
	if d := cmp.Diff(before, modes(t, program)); d != "" {
		t.Errorf("the terminal's modes (-before +after):\n%s", d)
	}
}
