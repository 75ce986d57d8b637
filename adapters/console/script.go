package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"footnote/gateway"
)

// script takes each line as a message, in order, and waits for one's work before it
// reads the next. Blank lines and lines that begin with "#" are counted and skipped.
func (a *Adapter) script(ctx context.Context, h gateway.Handler) error {
	in, release, err := interruptible(ctx, a.o.In)
	if err != nil {
		return err
	}
	defer release()
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		text, err := readLine(lines)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLineTooLong):
			if err := a.screen.show(strconv.Itoa(n), gateway.Reply{
				Text: fmt.Sprintf("Line %d is longer than %d bytes and was skipped. Send it in parts.", n, maxLine),
				Code: "request_too_large",
			}); err != nil {
				return err
			}
			continue
		case err != nil:
			return fmt.Errorf("read line %d: %w: %w", n, err, gateway.ErrFinal)
		case skipped(text):
			continue
		}
		m := message(a.session, n, text, time.Now())
		if err := a.turn(ctx, h, m, a.responder(n)); err != nil {
			a.o.Log.WarnContext(ctx, "line not settled", "line", n, "error", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
