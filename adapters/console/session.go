package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"footnote/gateway"
)

const prompt = "> "

// Hints of a conversation.
const (
	hintLeave      = "Press Ctrl-C again, or Ctrl-D, to leave."
	hintStopped    = "Stopped."
	hintMeanwhile  = "Ctrl-C gives the prompt back"
	hintBackground = "The job goes on in the background; `/kb cancel <id>` stops it."
)

// session is a conversation at a prompt.
type session struct {
	a      *Adapter
	editor *term.Terminal
	keys   *keys
	armed  bool // one more Ctrl-C leaves; used by the editor's callback alone
}

// converse prompts for lines until the person leaves or ctx ends. The terminal is in
// raw mode meanwhile, and as it was afterwards, whatever happens.
func (a *Adapter) converse(ctx context.Context, h gateway.Handler) error {
	k := newKeys()
	s := &session{a: a, keys: k}
	s.editor = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{k, a.o.Out}, prompt)
	s.editor.AutoCompleteCallback = s.key
	a.screen.through(s.editor) // before the raw mode, in which a bare "\n" is no new line
	defer a.screen.through(a.o.Out)
	restore, err := rawMode(a.o.In)
	if err != nil {
		return fmt.Errorf("set up the terminal: %w: %w", err, gateway.ErrFinal)
	}
	defer restore()
	ctx, cancel := context.WithCancel(ctx)
	in, release, err := interruptible(ctx, a.o.In)
	if err != nil {
		cancel()
		return err
	}
	var pump sync.WaitGroup
	pump.Go(func() { k.pump(in) })
	defer func() { // in this order: end the reads, wait for the last, free what watched them
		cancel()
		pump.Wait()
		release()
	}()

	past, err := openHistory(a.o.HistoryFile)
	if err != nil {
		a.o.Log.WarnContext(ctx, "history not kept", "error", err)
	}
	s.editor.History = past

	if a.o.Banner != "" {
		if err := a.screen.show("", gateway.Reply{Text: a.o.Banner}); err != nil {
			return err
		}
	}
	return s.loop(ctx, h)
}

// loop takes one line after the other.
func (s *session) loop(ctx context.Context, h gateway.Handler) error {
	defer s.a.screen.setPrompt(true) // the shell's: no progress after the end
	for n := 1; ; n++ {
		text, err := s.readLine()
		switch {
		case ctx.Err() != nil, errors.Is(err, io.EOF):
			_, _ = io.WriteString(s.a.o.Out, "\r\n") // what comes next starts a line
			return nil
		case err != nil && !errors.Is(err, term.ErrPasteIndicator):
			return fmt.Errorf("read the terminal: %w: %w", err, gateway.ErrFinal)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if leaving(text) {
			return nil
		}
		s.answer(ctx, h, n, text)
	}
}

// leaving tells the words that end a conversation at every other prompt.
func leaving(text string) bool {
	switch strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), "/") {
	case "exit", "quit":
		return true
	}
	return false
}

func (s *session) readLine() (string, error) {
	if s.a.o.Width != nil {
		if w := s.a.o.Width(); w > 0 {
			// The height is not used for what we do.
			_ = s.editor.SetSize(w, 24)
		}
	}
	s.armed = false
	s.a.screen.setPrompt(true)
	defer s.a.screen.setPrompt(false)
	return s.editor.ReadLine()
}

// answer hands the line over and waits for its work; Ctrl-C ends both.
func (s *session) answer(ctx context.Context, h gateway.Handler, n int, text string) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.keys.during(func() { cancel(gateway.ErrStopped) })
	defer s.keys.during(nil)

	r := s.a.responder(n)
	err := s.a.turn(ctx, h, message(s.a.session, n, text, time.Now()), r)
	switch {
	case errors.Is(context.Cause(ctx), gateway.ErrStopped):
		hint := hintStopped
		if r.answered() {
			hint = hintBackground
		}
		s.hint(hint)
	case err != nil:
		s.a.o.Log.WarnContext(ctx, "line not settled", "line", n, "error", err)
	}
}

// hint says something of the terminal's own.
func (s *session) hint(text string) { _ = s.a.screen.show("", gateway.Reply{Text: text}) }

// key is the editor's callback for keys that it has no use for: Tab completes, Ctrl-C
// clears the line or, on an empty one, leaves when pressed twice.
func (s *session) key(line string, pos int, key rune) (string, int, bool) {
	if key != keyInterrupt {
		s.armed = false
		if key != '\t' {
			return "", 0, false
		}
		return s.tab(line, pos)
	}
	switch {
	case line != "":
	case s.armed:
		s.keys.leave()
	default:
		s.armed = true
		s.hint(hintLeave)
	}
	return "", 0, true
}

func (s *session) tab(line string, pos int) (string, int, bool) {
	head, candidates := complete(line[:pos], s.a.o.Subcommands)
	if head == line[:pos] && len(candidates) > 1 {
		s.hint(joined(candidates...))
	}
	return head + line[pos:], len(head), true
}

// rawMode hands every key to the program when in is a terminal.
func rawMode(in io.Reader) (restore func(), err error) {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}, nil
	}
	state, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }, nil
}
