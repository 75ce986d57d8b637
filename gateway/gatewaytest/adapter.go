package gatewaytest

import (
	"context"
	"slices"
	"sync"

	"footnote/gateway"
)

// Adapter is a platform driven by hand: the test delivers messages and reads what was
// announced. Make it with NewAdapter; it is safe for concurrent use.
type Adapter struct {
	name gateway.Platform
	caps gateway.Capabilities
	ends chan error

	mu       sync.Mutex
	up       chan struct{} // closed while Run runs
	handler  gateway.Handler
	sent     []Sent
	sendFail error
}

// Sent is one announcement.
type Sent struct {
	To    gateway.Address
	Reply gateway.Reply
}

// NewAdapter makes an adapter of that name and those capabilities.
func NewAdapter(name gateway.Platform, caps gateway.Capabilities) *Adapter {
	return &Adapter{name: name, caps: caps, ends: make(chan error), up: make(chan struct{})}
}

// Name gives the platform.
func (a *Adapter) Name() gateway.Platform { return a.name }

// Capabilities gives the facts the adapter was made with.
func (a *Adapter) Capabilities() gateway.Capabilities { return a.caps }

// Run blocks until ctx ends or End is called.
func (a *Adapter) Run(ctx context.Context, h gateway.Handler) error {
	a.mu.Lock()
	a.handler = h
	close(a.up)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.up = make(chan struct{})
		a.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-a.ends:
		return err
	}
}

// Deliver hands m to the gateway as one delivery of the platform, waiting until Run
// runs. It gives the recorder of m's replies and what the gateway returned.
func (a *Adapter) Deliver(ctx context.Context, m gateway.Message) (*Recorder, error) {
	r := new(Recorder)
	return r, a.DeliverTo(ctx, m, r)
}

// DeliverTo is Deliver with a responder of the test's own.
func (a *Adapter) DeliverTo(ctx context.Context, m gateway.Message, r gateway.Responder) error {
	a.mu.Lock()
	up := a.up
	a.mu.Unlock()
	<-up
	a.mu.Lock()
	h := a.handler
	a.mu.Unlock()
	return h.Handle(ctx, m, r)
}

// End makes the current (or next) Run return err.
func (a *Adapter) End(err error) { a.ends <- err }

// FailSend makes Send return err from now on; nil ends that.
func (a *Adapter) FailSend(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sendFail = err
}

// Send records an announcement.
func (a *Adapter) Send(_ context.Context, to gateway.Address, r gateway.Reply) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sendFail != nil {
		return a.sendFail
	}
	a.sent = append(a.sent, Sent{To: to, Reply: r})
	return nil
}

// Sent gives a copy of the announcements, in order.
func (a *Adapter) Sent() []Sent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.sent)
}
