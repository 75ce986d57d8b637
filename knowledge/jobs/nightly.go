package jobs

import (
	"context"
	"errors"
	"fmt"

	"footnote/knowledge"
)

// RefreshNightly refreshes every active library that asks for it, one after the other,
// and returns when the last has ended. One library's failure stops no other; the
// error joins the faults of all, and a refusal is only logged.
func (r *Runner) RefreshNightly(ctx context.Context) error {
	libraries, err := r.o.Store.Libraries(ctx)
	if err != nil {
		return fmt.Errorf("list libraries: %w", err)
	}
	var faults []error
	for _, lib := range libraries {
		if !lib.Nightly || lib.Archived {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if err := r.refreshAndWait(ctx, lib.ID); err != nil {
			if _, refused := errors.AsType[*knowledge.Error](err); refused {
				r.o.Log.WarnContext(ctx, "nightly refresh refused", "library", lib.ID, "error", err)
				continue
			}
			faults = append(faults, fmt.Errorf("refresh %s: %w", lib.ID, err))
		}
	}
	return errors.Join(faults...)
}

// refreshAndWait starts a refresh and returns when it has ended. How it ended is the
// journal's matter.
func (r *Runner) refreshAndWait(ctx context.Context, library string) error {
	t, err := r.beginRefresh(ctx, knowledge.CrawlRequest{Library: library})
	if err != nil {
		return err
	}
	if _, err := r.handOver(ctx, t, 0); err != nil {
		return err
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
