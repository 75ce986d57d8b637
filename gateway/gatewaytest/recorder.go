// Package gatewaytest has what tests of chat need: a Recorder, which is to a Responder
// what httptest.ResponseRecorder is to a ResponseWriter, and an Adapter that is driven
// by hand.
//
// Kind: words, for tests.
package gatewaytest

import (
	"context"
	"slices"
	"sync"

	"footnote/gateway"
)

// Recorder is a Responder that keeps what it is given. The zero value is ready; it is
// safe for concurrent use. Err, when set before use, is what every call returns, after
// recording.
type Recorder struct {
	Err error

	mu      sync.Mutex
	replies []gateway.Reply
	updates []gateway.Reply
	typing  int
}

// Reply records a new message.
func (r *Recorder) Reply(_ context.Context, reply gateway.Reply) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replies = append(r.replies, reply)
	return r.Err
}

// Update records a message that replaces the last progress.
func (r *Recorder) Update(_ context.Context, reply gateway.Reply) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, reply)
	return r.Err
}

// Typing counts.
func (r *Recorder) Typing(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.typing++
	return r.Err
}

// Replies gives a copy of the new messages, in order.
func (r *Recorder) Replies() []gateway.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.replies)
}

// Updates gives a copy of the updates, in order.
func (r *Recorder) Updates() []gateway.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.updates)
}

// Last gives the newest reply, or the zero Reply when there is none.
func (r *Recorder) Last() gateway.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.replies) == 0 {
		return gateway.Reply{}
	}
	return r.replies[len(r.replies)-1]
}

// Typings counts the calls of Typing.
func (r *Recorder) Typings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.typing
}
