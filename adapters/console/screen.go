package console

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"footnote/adapters/render"
	"footnote/gateway"
)

// screen is the output: it keeps whole messages apart, whoever writes them.
type screen struct {
	json    bool
	inPlace bool // progress rewrites one line
	style   func() render.Style
	broken  chan error // gets the first error of writing

	mu        sync.Mutex
	out       io.Writer
	err       error
	prompting bool // a prompt is shown: progress waits
	status    bool // a progress line is shown
}

// show writes a message that answers a line, "" for none.
func (s *screen) show(replyTo string, r gateway.Reply) error {
	if r.Progress != nil && s.inPlace {
		return s.showStatus(progressLine(r, s.style(), hintMeanwhile))
	}
	text := ""
	switch {
	case s.json:
		text = jsonLine(replyTo, r)
	case r.Progress != nil:
		text = progressLine(r, render.Style{}, "") + "\n"
	default:
		if text = human(r, s.style()); text == "" {
			return nil
		}
		text += "\n\n"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	return s.write(text)
}

// showStatus rewrites the progress line; at a prompt it shows nothing.
func (s *screen) showStatus(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompting {
		return nil
	}
	s.status = true
	return s.write("\r\x1b[K" + text)
}

func (s *screen) clearStatus() {
	if s.status {
		s.status = false
		_ = s.write("\r\x1b[K")
	}
}

// setPrompt tells that a prompt begins or ends.
func (s *screen) setPrompt(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	s.prompting = on
}

// through sends the output through w from now on.
func (s *screen) through(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	s.out = w
}

func (s *screen) write(text string) error {
	if s.err != nil {
		return s.err
	}
	if _, err := io.WriteString(s.out, text); err != nil {
		s.err = fmt.Errorf("write to the terminal: %w", err)
		select {
		case s.broken <- err:
		default:
		}
	}
	return s.err
}

// responder answers one line.
type responder struct {
	screen *screen
	line   string

	mu      sync.Mutex
	replied bool      // anything was shown
	shown   time.Time // when progress was
	percent int
}

func (a *Adapter) responder(line int) *responder {
	return &responder{screen: a.screen, line: strconv.Itoa(line)}
}

// Reply shows a new message.
func (r *responder) Reply(_ context.Context, reply gateway.Reply) error {
	r.mark(reply)
	return r.screen.show(r.line, reply)
}

// Update shows progress, less often than it comes unless it has a line of its own.
func (r *responder) Update(_ context.Context, reply gateway.Reply) error {
	if reply.Progress != nil && !r.screen.inPlace && !r.due(*reply.Progress) {
		return nil
	}
	r.mark(reply)
	return r.screen.show(r.line, reply)
}

// Typing shows that an answer is being made.
func (r *responder) Typing(context.Context) error {
	if !r.screen.inPlace {
		return nil
	}
	return r.screen.showStatus("…")
}

// Progress that cannot be rewritten is shown so often at most, or at every step of
// so many percent.
const (
	progressEvery = 5 * time.Second
	progressStep  = 10
)

func (r *responder) due(p gateway.Progress) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown.IsZero() || time.Since(r.shown) >= progressEvery || percent(p) >= r.percent+progressStep
}

func (r *responder) mark(reply gateway.Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replied = true
	if reply.Progress != nil {
		r.shown, r.percent = time.Now(), percent(*reply.Progress)
	}
}

// answered tells whether anything was shown yet.
func (r *responder) answered() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.replied
}
