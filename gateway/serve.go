package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Console is the platform of the terminal. Whoever types there runs the process, and
// so is an admin and is not limited in rate.
const Console Platform = "console"

var (
	// ErrFinal marks the error of an adapter that will not come back (a refused token,
	// a closed output): the gateway does not run it again.
	ErrFinal = errors.New("adapter will not come back")
	// ErrStopped is the cause with which an adapter cancels a message's context when
	// the person stops that turn. Any other end of that context leaves the handler
	// running, so that shutdown can drain.
	ErrStopped = errors.New("turn stopped by the person")
	// ErrDown means that the adapter of an address is not connected now: announce again later.
	ErrDown = errors.New("adapter is not connected")
	// ErrRefused means that a message was not taken (lane full, rate limited,
	// shutting down), after the person was told so where possible.
	ErrRefused = errors.New("message refused")
)

// Dedupe remembers deliveries across restarts. Seen records key and reports whether
// it was there already.
type Dedupe interface {
	Seen(ctx context.Context, key string, now time.Time) (bool, error)
}

// Options are what a Gateway is made of. Adapters, Handler and Log are required.
type Options struct {
	Adapters []Adapter
	Handler  Handler
	Log      *slog.Logger

	Dedupe  Dedupe   // nil: every delivery is new
	Admins  []string // "slack:U1", "slack:T1/U1", "discord:role:5"
	Grammar Grammar  // zero: as ParseInvocation

	RatePerMinute int           // messages of one person; 0 is 30
	LaneDepth     int           // messages waiting in one conversation; 0 is 16
	MaxLanes      int           // conversations served at a time; 0 is 256
	Timeout       time.Duration // one message's handling; 0 is 2 minutes
	Drain         time.Duration // how long shutdown waits for work begun; 0 is 10 seconds
}

// Gateway serves adapters: it decides which messages are for the bot, keeps each
// conversation in order and answers through the handler. It is made for one Run.
type Gateway struct {
	o      Options
	admins map[string]bool
	people *limiter
	links  []*link

	mu      sync.Mutex
	lanes   map[string]*lane
	closing bool

	running sync.WaitGroup // lanes
}

// New makes a gateway; o's zero numbers become their defaults.
func New(o Options) *Gateway {
	o.RatePerMinute = orDefault(o.RatePerMinute, 30)
	o.LaneDepth = orDefault(o.LaneDepth, 16)
	o.MaxLanes = orDefault(o.MaxLanes, 256)
	o.Timeout = orDefault(o.Timeout, 2*time.Minute)
	o.Drain = orDefault(o.Drain, 10*time.Second)
	if o.Grammar.Options == nil {
		o.Grammar.Options = []string{"limit"}
	}
	g := &Gateway{
		o:      o,
		admins: make(map[string]bool, len(o.Admins)),
		people: newLimiter(o.RatePerMinute),
		lanes:  make(map[string]*lane),
	}
	for _, a := range o.Admins {
		g.admins[a] = true
	}
	for _, a := range o.Adapters {
		g.links = append(g.links, newLink(a))
	}
	return g
}

func orDefault[T int | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Run serves every adapter until ctx ends or all of them have finished, lets what was
// begun be finished (after the end of ctx for no longer than Options.Drain), and returns when its last goroutine has ended. An adapter that ends
// early with an error is run again after a pause; one that returns nil has finished.
// The error joins those of adapters that ended for good; the end of ctx is none.
func (g *Gateway) Run(ctx context.Context) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()

	var drain sync.WaitGroup
	drain.Go(func() { g.drain(ctx, work, stop) })
	var adapters sync.WaitGroup
	for _, l := range g.links {
		adapters.Go(func() { g.supervise(ctx, work, l) })
	}
	adapters.Wait()

	g.mu.Lock()
	g.closing = true
	g.mu.Unlock()
	g.running.Wait()
	stop()
	drain.Wait()

	var errs []error
	for _, l := range g.links {
		errs = append(errs, l.failure())
	}
	return errors.Join(errs...)
}

// drain ends the handlers' work some time after ctx has ended.
func (g *Gateway) drain(ctx, work context.Context, stop func()) {
	select {
	case <-work.Done():
		return
	case <-ctx.Done():
	}
	late := time.NewTimer(g.o.Drain)
	defer late.Stop()
	select {
	case <-work.Done():
	case <-late.C:
		stop()
	}
}

// The pause before an adapter runs again doubles from the first to the last, and an
// adapter that held for steady starts over.
const (
	firstPause = time.Second
	lastPause  = time.Minute
	steady     = time.Minute
)

// supervise runs one adapter until ctx ends or it has finished. Its messages are
// answered under work, which outlives ctx by the drain.
func (g *Gateway) supervise(ctx, work context.Context, l *link) {
	pause := firstPause
	for {
		began := time.Now()
		l.set(StateRunning, nil)
		err := g.runAdapter(ctx, work, l)
		switch {
		case ctx.Err() != nil || err == nil:
			l.set(StateFinished, nil)
			return
		case errors.Is(err, ErrFinal):
			l.set(StateFailed, err)
			return
		}
		if time.Since(began) >= steady {
			pause = firstPause
		}
		wait := pause/2 + rand.N(pause/2+1)
		pause = min(2*pause, lastPause)
		l.set(StateWaiting, err)
		g.o.Log.WarnContext(ctx, "adapter ended, will run again",
			append(fault(err), "platform", l.adapter.Name(), "pause", wait.Round(time.Millisecond))...)
		select {
		case <-ctx.Done():
			l.set(StateFinished, nil)
			return
		case <-time.After(wait):
		}
	}
}

// runAdapter runs an adapter once; a panic of its own goroutine is an error like others.
func (g *Gateway) runAdapter(ctx, work context.Context, l *link) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: string(debug.Stack())}
		}
	}()
	return l.adapter.Run(ctx, HandlerFunc(func(ctx context.Context, m Message, r Responder) error {
		l.heard()
		m.Platform = l.adapter.Name()
		return g.receive(ctx, work, m, r)
	}))
}

// Announce sends r to an address that one of the adapters made. While that adapter is
// not connected it gives ErrDown, and nothing is kept: the caller announces again.
func (g *Gateway) Announce(ctx context.Context, to Address, r Reply) error {
	platform, _, _ := strings.Cut(string(to), ":")
	for _, l := range g.links {
		if string(l.adapter.Name()) != platform {
			continue
		}
		if l.health().State != StateRunning {
			return fmt.Errorf("announce on %s: %w", platform, ErrDown)
		}
		if err := l.adapter.Send(ctx, to, r); err != nil {
			return fmt.Errorf("announce on %s: %w", platform, err)
		}
		return nil
	}
	return fmt.Errorf("announce on %s: %w", platform, ErrDown)
}
