package siteserver

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Pipe serves a handler over connections in memory, whatever address is dialled. All
// its waiting is of the kind that testing/synctest understands, so that in a bubble
// the requests' times are virtual.
type Pipe struct {
	conns chan net.Conn
	done  chan struct{}
	wait  sync.WaitGroup
	srv   *http.Server
}

// NewPipe starts serving; Close ends it.
func NewPipe(h http.Handler) *Pipe {
	p := &Pipe{conns: make(chan net.Conn), done: make(chan struct{}), srv: &http.Server{Handler: h}}
	p.wait.Go(func() { _ = p.srv.Serve(p) }) // it ends with ErrServerClosed
	return p
}

// Dial connects to the handler.
func (p *Pipe) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept makes Pipe a net.Listener.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Addr makes Pipe a net.Listener.
func (p *Pipe) Addr() net.Addr { return &net.IPAddr{} }

// Close ends the serving and waits for it.
func (p *Pipe) Close() error {
	select {
	case <-p.done:
		return nil
	default:
	}
	close(p.done)
	err := p.srv.Close()
	p.wait.Wait()
	return err
}
