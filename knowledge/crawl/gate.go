package crawl

import (
	"context"
	"sync"
	"time"
)

const (
	// maxPause is the longest Retry-After that is waited for.
	maxPause = 5 * time.Minute
	// firstSlowdown and maxSlowdown bound what a pushed-back host is given on top of
	// its delay.
	firstSlowdown = 500 * time.Millisecond
	maxSlowdown   = 30 * time.Second
	// deadAfter is how many connections in a row fail before a host is left alone,
	// deadFor how long.
	deadAfter = 8
	deadFor   = time.Minute
)

// gate is what every request to a host passes, whatever it is for and whichever crawl
// it belongs to. It spaces their starts, and it is where a host's "slower" is heeded.
type gate struct {
	door chan struct{} // held by who waits for the next turn: first come, first served

	mu       sync.Mutex
	next     time.Time     // no request starts before
	slowdown time.Duration // on top of the delay; halves the rate and recovers slowly
	failures int           // connections failed in a row
	failed   time.Time     // when the last one did
}

func newGate() *gate { return &gate{door: make(chan struct{}, 1)} }

// wait blocks until the host may be asked again and takes that turn.
func (g *gate) wait(ctx context.Context, delay time.Duration) error {
	select {
	case g.door <- struct{}{}:
		defer func() { <-g.door }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := g.take(delay)
		if left <= 0 {
			return nil
		}
		if err := sleep(ctx, left); err != nil {
			return err
		}
	}
}

// take takes the turn, or tells how long to wait before asking again.
func (g *gate) take(delay time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if left := g.next.Sub(now); left > 0 {
		return left
	}
	g.next = now.Add(delay + g.slowdown)
	return 0
}

// pushback is a host's 429 or 503: nothing is asked for pause, and then at half the rate.
func (g *gate) pushback(delay, pause time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slowdown = min(max(delay+2*g.slowdown, firstSlowdown), maxSlowdown)
	if until := time.Now().Add(pause); until.After(g.next) {
		g.next = until
	}
}

// answered is any answer that is no pushback: the host lives, and may be asked a
// little faster again.
func (g *gate) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failures = 0
	g.slowdown -= g.slowdown / 8
	if g.slowdown < 10*time.Millisecond {
		g.slowdown = 0
	}
}

// unanswered is a connection that failed.
func (g *gate) unanswered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failures++
	g.failed = time.Now()
}

// dead says that the host has not answered for a while and is left alone.
func (g *gate) dead() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failures >= deadAfter && time.Since(g.failed) < deadFor
}

// idle says that nothing would be lost by forgetting the gate.
func (g *gate) idle() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.next) > deadFor && time.Since(g.failed) > deadFor
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
