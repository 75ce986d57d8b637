// Package console is the terminal as a chat platform: a prompt with editing, history
// and completion when a person sits there, one message a line when a script does, and
// lines of JSON when a program reads the replies.
//
// Kind: doer.
package console

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"footnote/adapters/render"
	"footnote/gateway"
)

// Options are what the terminal is made of. In and Out are required.
type Options struct {
	// In is read until its end. A file is left as soon as Run's context ends, another
	// reader is closed then if it can be.
	In  io.Reader
	Out io.Writer

	Interactive bool // a person types: prompt, history, progress in place
	JSON        bool // replies are lines of JSON; never together with Interactive
	Color       bool // ANSI colours and hyperlinks

	Width       func() int // columns now; nil or 0 does not wrap
	HistoryFile string     // where typed lines are kept; "" keeps them for this run
	Subcommands []string   // what Tab completes after "/kb"
	Banner      string     // CommonMark shown first when Interactive

	// Settle is called after each line and returns when what the line began has ended,
	// background jobs included; the next line is read then. Nil does not wait.
	Settle func(ctx context.Context, m gateway.Message) error

	Log *slog.Logger // nil discards
}

// Adapter is the terminal. It is made for one Run, which returns nil at the end of the
// input: for a terminal, that is the end of the conversation.
type Adapter struct {
	o       Options
	session string // tells this run's lines from an earlier run's
	screen  *screen
}

// New makes a terminal.
func New(o Options) *Adapter {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	broken := make(chan error, 1)
	return &Adapter{
		o:       o,
		session: strings.ToLower(rand.Text()[:8]),
		screen:  &screen{out: o.Out, json: o.JSON, inPlace: o.Interactive && !o.JSON, style: o.style, broken: broken},
	}
}

// style is how replies are shown now.
func (o Options) style() render.Style {
	s := render.Style{Color: o.Color, Links: o.Color}
	if o.Width != nil {
		s.Width = o.Width()
	}
	return s
}

// Name gives gateway.Console.
func (a *Adapter) Name() gateway.Platform { return gateway.Console }

// Capabilities gives the terminal's facts.
func (a *Adapter) Capabilities() gateway.Capabilities {
	return gateway.Capabilities{Edit: a.o.Interactive && !a.o.JSON}
}

// Run reads lines and hands them to h until the input or ctx ends. Errors of reading
// and writing are final: a terminal does not come back.
func (a *Adapter) Run(ctx context.Context, h gateway.Handler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lost := func(err error) {
		cancel(fmt.Errorf("write to the terminal: %w: %w", err, gateway.ErrFinal))
	}
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case err := <-a.screen.broken:
			lost(err)
		case <-ended:
		}
	})
	var err error
	if a.o.Interactive && !a.o.JSON {
		err = a.converse(ctx, h)
	} else {
		err = a.script(ctx, h)
	}
	close(ended)
	watch.Wait()
	select {
	case failed := <-a.screen.broken: // the last reply's, that the watch did not wait for
		lost(failed)
	default:
	}
	if cause := context.Cause(ctx); errors.Is(cause, gateway.ErrFinal) {
		return cause
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Send shows an announcement, also before and after Run.
func (a *Adapter) Send(_ context.Context, to gateway.Address, r gateway.Reply) error {
	return a.screen.show(a.lineOf(to), r)
}

// turn hands one line to h and waits for what it began.
func (a *Adapter) turn(ctx context.Context, h gateway.Handler, m gateway.Message, r gateway.Responder) error {
	if err := h.Handle(ctx, m, r); err != nil {
		// The gateway has told the person why it refused.
		a.o.Log.DebugContext(ctx, "line refused", "error", err)
		return nil
	}
	if a.o.Settle == nil {
		return nil
	}
	if err := a.o.Settle(ctx, m); err != nil && ctx.Err() == nil {
		return fmt.Errorf("wait for the work of a line: %w", err)
	}
	return nil
}
