package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"
)

// How long the small rows are kept.
const (
	keepTurns = 30 * 24 * time.Hour
	keepSeen  = 7 * 24 * time.Hour // platforms deliver an event again within hours
	keepJobs  = 24                 // ended jobs, besides the latest of each library
)

// A file is made smaller when so much of it is free.
const (
	vacuumBytes = 64 << 20
	vacuumShare = 5 // a fifth
)

// vacuumStep is how many pages one transaction of the vacuum gives back.
const vacuumStep = 2000

// Maintain clears away what has had its time, finishes a purge that is owed, holds the
// keyword index against the chunks and rebuilds it when they differ, and gives free
// space back to the file system. It goes in short transactions but for the rebuild.
func (db *DB) Maintain(ctx context.Context, at time.Time) error {
	if err := db.clear(ctx, at); err != nil {
		return wrap(err, "clear old rows")
	}
	if err := db.checkKeywords(ctx); err != nil {
		return err
	}
	var owed bool
	if err := db.reader.QueryRowContext(ctx, `SELECT purge_owed FROM keyword_index`).Scan(&owed); err != nil {
		return wrap(err, "read keyword index state")
	}
	if owed {
		if err := db.purge(ctx); err != nil {
			return err
		}
	}
	return wrap(db.vacuum(ctx), "give free space back")
}

// clear removes old turns, dedupe keys, confirmations, and journal lines that nobody
// needs: of ended jobs that cannot be resumed the failures stay, of all others all;
// and all of those jobs that are neither the latest of their library nor among the
// last few nor still to be announced.
func (db *DB) clear(ctx context.Context, at time.Time) error {
	return db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, step := range []struct {
			query string
			arg   any
		}{
			{`DELETE FROM turns WHERE at < ?`, millis(at.Add(-keepTurns))},
			{`DELETE FROM seen WHERE at < ?`, millis(at.Add(-keepSeen))},
			{`DELETE FROM confirmations WHERE expires <= ?`, millis(at)},
			{`DELETE FROM jobs WHERE state <> 'running'
				AND (announced = 1 OR reply_to = '')
				AND id NOT IN (SELECT max(id) FROM jobs GROUP BY library)
				AND id NOT IN (SELECT id FROM jobs WHERE state <> 'running' ORDER BY id DESC LIMIT ?)`, keepJobs},
			{`DELETE FROM job_pages
				WHERE job IN (SELECT id FROM jobs WHERE state IN ('completed', 'partial', 'failed'))
				AND NOT ` + failedOutcomes + ` AND ?`, true},
		} {
			if _, err := tx.ExecContext(ctx, step.query, step.arg); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkKeywords rebuilds the keyword index when its own check fails or when it does
// not hold exactly the chunks of the pages that are not gone.
func (db *DB) checkKeywords(ctx context.Context) error {
	reason, err := db.keywordFault(ctx)
	if err != nil {
		return wrap(err, "check keyword index")
	}
	if reason == "" {
		return nil
	}
	db.log.WarnContext(ctx, "rebuilding the keyword index", "reason", reason)
	return db.rebuildKeywords(ctx)
}

// keywordFault says what is wrong with the keyword index, nothing when it is sound.
func (db *DB) keywordFault(ctx context.Context) (reason string, err error) {
	err = db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')`)
		if corrupt(err) {
			reason = "damaged"
			return nil
		}
		if err != nil {
			return err
		}
		var missing, surplus int
		err = tx.QueryRowContext(ctx, `
			WITH
				live (id) AS (
					SELECT c.id FROM chunks c WHERE c.page NOT IN (SELECT page FROM visits WHERE gone = 1)),
				indexed (id) AS (SELECT rowid FROM chunks_fts)
			SELECT
				(SELECT count(*) FROM (SELECT id FROM live EXCEPT SELECT id FROM indexed)),
				(SELECT count(*) FROM (SELECT id FROM indexed EXCEPT SELECT id FROM live))`).Scan(&missing, &surplus)
		if corrupt(err) {
			reason = "damaged"
			return nil
		}
		if missing+surplus > 0 {
			reason = fmt.Sprintf("%d chunks missing, %d too many", missing, surplus)
		}
		return err
	})
	return reason, err
}

// corrupt tells that SQLite found the data of a table damaged.
func corrupt(err error) bool {
	fault, ok := errors.AsType[sqlite3.Error](err)
	return ok && fault.Code == sqlite3.ErrCorrupt
}

// vacuum gives free pages back when there are many, a step at a time.
func (db *DB) vacuum(ctx context.Context) error {
	var free, total, size int64
	err := db.writer.QueryRowContext(ctx, `
		SELECT freelist_count, page_count, page_size FROM pragma_freelist_count, pragma_page_count, pragma_page_size`).
		Scan(&free, &total, &size)
	if err != nil {
		return err
	}
	if free*size < vacuumBytes && free*vacuumShare < total {
		return nil
	}
	return db.shrink(ctx)
}

// shrink gives every free page back.
func (db *DB) shrink(ctx context.Context) error {
	for {
		// The pragma frees one page for each row that is read of it.
		freed, err := collect(ctx, db.writer, func(scan func(...any) error) (struct{}, error) {
			return struct{}{}, nil
		}, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, vacuumStep))
		if err != nil {
			return err
		}
		if len(freed) < vacuumStep {
			return nil
		}
	}
}
