package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// job is a message on its way to the handler. ctx is the adapter's: it ends the
// handling only with the cause ErrStopped.
type job struct {
	ctx context.Context
	m   Message
	r   Responder
}

// lane serves one conversation in order. It exists while there is something to do.
type lane struct {
	waiting []job         // guarded by Gateway.mu
	done    chan struct{} // closed when the lane has ended
}

// enqueue puts j in its conversation's lane, or says why it cannot.
func (g *Gateway) enqueue(work context.Context, j job) (refusal string) {
	key := j.m.Conversation()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return "I am shutting down. Send it again in a moment."
	}
	l := g.lanes[key]
	if l == nil {
		if len(g.lanes) >= g.o.MaxLanes {
			return "Too many conversations need an answer right now. Send it again in a moment."
		}
		l = &lane{done: make(chan struct{}), waiting: []job{j}}
		g.lanes[key] = l
		g.running.Go(func() { g.drive(work, key, l) })
		return ""
	}
	if len(l.waiting) >= g.o.LaneDepth {
		return fmt.Sprintf("There are %d messages waiting in this conversation already. Wait for an answer, then send it again.", len(l.waiting))
	}
	l.waiting = append(l.waiting, j)
	return ""
}

// drive answers a lane's messages until none waits.
func (g *Gateway) drive(work context.Context, key string, l *lane) {
	defer close(l.done)
	for {
		g.mu.Lock()
		if len(l.waiting) == 0 {
			delete(g.lanes, key)
			g.mu.Unlock()
			return
		}
		j := l.waiting[0]
		l.waiting = l.waiting[1:]
		g.mu.Unlock()
		g.serve(work, j)
	}
}

// Idle waits until no message of the conversation waits or is being answered.
func (g *Gateway) Idle(ctx context.Context, conversation string) error {
	for {
		g.mu.Lock()
		l := g.lanes[conversation]
		g.mu.Unlock()
		if l == nil {
			return nil
		}
		select {
		case <-l.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serve answers one message, and tells the person when that ends badly.
func (g *Gateway) serve(work context.Context, j job) {
	ctx, stop := context.WithCancelCause(work)
	defer stop(nil)
	//nolint:contextcheck // the message's own context, of which only a stop counts
	defer context.AfterFunc(j.ctx, func() {
		if errors.Is(context.Cause(j.ctx), ErrStopped) {
			stop(ErrStopped)
		}
	})()
	limited, cancel := context.WithTimeout(ctx, g.o.Timeout)
	defer cancel()

	err := g.handle(limited, j)
	if err == nil || errors.Is(context.Cause(limited), ErrStopped) {
		return
	}
	var reply Reply
	switch {
	case work.Err() != nil:
		reply = Reply{Text: "I am shutting down and could not finish that. Send it again in a moment.", Code: "resource_limit"}
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		g.o.Log.WarnContext(ctx, "message took too long", "conversation", j.m.Conversation(), "timeout", g.o.Timeout, "error", err)
		reply = Reply{
			Text: fmt.Sprintf("That took longer than %s and was stopped. Try something smaller, or again later.", words(g.o.Timeout)),
			Code: "resource_limit",
		}
	default:
		id := errorID()
		reply = Reply{Text: "Something went wrong. Error id " + id + ".", Code: "internal_error"}
		g.o.Log.ErrorContext(ctx, "message failed", append(fault(err), "error_id", id, "conversation", j.m.Conversation())...)
	}
	reply.Ephemeral = true
	tell(work, j.r, reply)
}

// handle calls the handler; a panic ends the message and nothing else.
func (g *Gateway) handle(ctx context.Context, j job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: string(debug.Stack())}
		}
	}()
	return g.o.Handler.Handle(ctx, j.m, j.r)
}

type panicError struct {
	value any
	stack string
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// fault is what the log says of an error: itself, and a panic's stack.
func fault(err error) []any {
	if p, ok := errors.AsType[*panicError](err); ok {
		return []any{"error", err, "stack", p.stack}
	}
	return []any{"error", err}
}

// errorID joins what the person sees to the line in the log.
func errorID() string { return strings.ToLower(rand.Text()[:6]) }

// words says a duration as people do.
func words(d time.Duration) string {
	n, unit := int(d.Round(time.Second)/time.Second), "second"
	if n >= 60 && n%60 == 0 {
		n, unit = n/60, "minute"
	}
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
