package gateway

import (
	"sync"
	"time"
)

// State is what an adapter is doing.
type State string

// The states of an adapter.
const (
	StateStarting State = "starting" // Run has not begun
	StateRunning  State = "running"
	StateWaiting  State = "waiting"  // ended early; runs again after a pause
	StateFinished State = "finished" // returned nil, or the gateway is shutting down
	StateFailed   State = "failed"   // ended with ErrFinal
)

// Health is a snapshot of one adapter. LastEvent is zero before the first message.
type Health struct {
	Platform  Platform
	State     State
	Since     time.Time // when State was entered
	LastEvent time.Time // when the adapter last handed over a message
	Runs      int       // how often the adapter was run
	Err       error     // why it is waiting or has failed
}

// Health gives a snapshot of every adapter, in the order of Options.Adapters.
func (g *Gateway) Health() []Health {
	list := make([]Health, len(g.links))
	for i, l := range g.links {
		list[i] = l.health()
	}
	return list
}

// link is an adapter with what is known of its connection.
type link struct {
	adapter Adapter

	mu  sync.Mutex
	now Health
}

func newLink(a Adapter) *link {
	return &link{adapter: a, now: Health{Platform: a.Name(), State: StateStarting, Since: time.Now()}}
}

func (l *link) set(s State, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.State, l.now.Since, l.now.Err = s, time.Now(), err
	if s == StateRunning {
		l.now.Runs++
	}
}

func (l *link) heard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.LastEvent = time.Now()
}

func (l *link) health() Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// failure gives the error of an adapter that ended for good.
func (l *link) failure() error {
	if h := l.health(); h.State == StateFailed {
		return h.Err
	}
	return nil
}
