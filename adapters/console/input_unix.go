//go:build unix

package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// interruptibleFile waits for the file and for the end of ctx together: a read of a
// terminal cannot be interrupted otherwise, and closing it would not end it.
func interruptibleFile(ctx context.Context, f *os.File) (io.Reader, func(), error) {
	wake, ring, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("watch the input: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = ring.Close() })
	release := func() {
		if stop() {
			_ = ring.Close()
		}
		_ = wake.Close()
	}
	return &pollReader{file: f, wake: int32(wake.Fd())}, release, nil
}

type pollReader struct {
	file *os.File
	wake int32 // becomes ready when reading is to end
}

func (r *pollReader) Read(p []byte) (int, error) {
	fds := []unix.PollFd{
		{Fd: int32(r.file.Fd()), Events: unix.POLLIN},
		{Fd: r.wake, Events: unix.POLLIN},
	}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, fmt.Errorf("wait for input: %w", err)
		case fds[1].Revents != 0:
			return 0, context.Canceled
		}
		return r.file.Read(p)
	}
}
