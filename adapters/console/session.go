package console

import (
	"context"

	"footnote/gateway"
)

func (a *Adapter) converse(ctx context.Context, h gateway.Handler) error {
	return a.script(ctx, h)
}
