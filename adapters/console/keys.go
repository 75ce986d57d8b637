package console

import (
	"io"
	"sync"
)

const (
	ctrlC = 0x03
	// keyInterrupt is what the line editor gets for Ctrl-C at the prompt. The editor
	// takes Ctrl-C itself for the end of the input and keeps the line; a code that it
	// does not know reaches its callback instead.
	keyInterrupt = 0x1C
	// maxTyped bounds what is typed ahead, in bytes; more is dropped.
	maxTyped = 1 << 20
)

// keys stands between the terminal and the line editor. It goes on reading while a
// message is answered, so that Ctrl-C is noticed then; what is typed ahead waits.
type keys struct {
	mu        sync.Mutex
	more      sync.Cond // something changed that Read waits for
	typed     []byte
	err       error  // the end of the input
	interrupt func() // what Ctrl-C does while a message is answered
}

func newKeys() *keys {
	k := new(keys)
	k.more.L = &k.mu
	return k
}

// pump reads r to its end.
func (k *keys) pump(r io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		k.feed(buf[:n], err)
		if err != nil {
			return
		}
	}
}

func (k *keys) feed(typed []byte, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range typed {
		switch {
		case c == keyInterrupt, len(k.typed) >= maxTyped:
		case c != ctrlC:
			k.typed = append(k.typed, c)
		case k.interrupt != nil:
			k.interrupt()
			k.typed = nil
		default:
			k.typed = append(k.typed, keyInterrupt)
		}
	}
	if err != nil {
		k.err = err
	}
	k.more.Broadcast()
}

// Read gives what was typed, waiting for it.
func (k *keys) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.typed) == 0 && k.err == nil {
		k.more.Wait()
	}
	if len(k.typed) == 0 {
		return 0, k.err
	}
	n := copy(p, k.typed)
	k.typed = k.typed[n:]
	return n, nil
}

// leave ends the input for the editor.
func (k *keys) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.typed, k.err = nil, io.EOF
	k.more.Broadcast()
}

// during sets what Ctrl-C does from now on; nil gives it to the editor.
func (k *keys) during(interrupt func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.interrupt = interrupt
}
