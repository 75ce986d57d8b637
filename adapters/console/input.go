package console

import (
	"context"
	"io"
	"os"
)

// interruptible makes reads from r end when ctx does: those of a file where the system
// can wait for two things at once, those of another reader by closing it if it can be.
// release frees what that took; it leaves r open.
func interruptible(ctx context.Context, r io.Reader) (in io.Reader, release func(), err error) {
	if f, ok := r.(*os.File); ok {
		return interruptibleFile(ctx, f)
	}
	stop := func() bool { return true }
	if c, ok := r.(io.Closer); ok {
		stop = context.AfterFunc(ctx, func() { _ = c.Close() })
	}
	return r, func() { stop() }, nil
}
