package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

// words are the folded text of one chunk, as the keyword index stores it.
type words struct{ head, body string }

// foldChunks folds a page's chunks. It is the costly part of publishing and needs no
// transaction.
func foldChunks(title, lang string, chunks []knowledge.Chunk) []words {
	list := make([]words, len(chunks))
	for i, c := range chunks {
		list[i] = foldChunk(title, lang, c.Path, c.Text)
	}
	return list
}

// foldChunk makes the head of title and breadcrumb; a breadcrumb that begins with the
// title does not name it twice.
func foldChunk(title, lang string, path []string, text string) words {
	head := strings.Join(path, "\n")
	if len(path) == 0 || path[0] != title {
		head = title + "\n" + head
	}
	return words{head: fold.Index(head, lang), body: fold.Index(text, lang)}
}

// insertWords indexes chunks under consecutive ids from first on.
func insertWords(ctx context.Context, tx *sql.Tx, first int64, list []words) error {
	for i, w := range list {
		_, err := tx.ExecContext(ctx, `INSERT INTO chunks_fts (rowid, head, body) VALUES (?, ?, ?)`,
			first+int64(i), w.head, w.body)
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteWords takes count chunks from first on out of the keyword index.
func deleteWords(ctx context.Context, tx *sql.Tx, first int64, count int) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM chunks_fts WHERE rowid BETWEEN ? AND ?`, first, first+int64(count)-1)
	return err
}

// settleKeywords is the keyword index's part of Open: it is rebuilt when the folding
// rules have another number, and what a crash left unpurged is purged.
func (db *DB) settleKeywords(ctx context.Context) error {
	var version int
	var owed bool
	err := db.reader.QueryRowContext(ctx, `SELECT fold_version, purge_owed FROM keyword_index`).Scan(&version, &owed)
	if err != nil {
		return fmt.Errorf("read keyword index state: %w", err)
	}
	if version != fold.Version {
		if version != 0 {
			db.log.InfoContext(ctx, "rebuilding the keyword index", "was_version", version, "version", fold.Version)
		}
		if err := db.rebuildKeywords(ctx); err != nil {
			return err
		}
	}
	if owed {
		return db.purge(ctx)
	}
	return nil
}

// rebuildKeywords makes the keyword index anew from the chunks, in one transaction:
// until it commits, searches see the old one.
func (db *DB) rebuildKeywords(ctx context.Context) error {
	cancelled := ctx.Err
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')`); err != nil {
			return err
		}
		for last := int64(-1); ; {
			if err := cancelled(); err != nil {
				return err
			}
			next, err := rebuildBatch(ctx, tx, last)
			if err != nil {
				return err
			}
			if next == last {
				break
			}
			last = next
		}
		_, err := tx.ExecContext(ctx, `UPDATE keyword_index SET fold_version = ?`, fold.Version)
		return err
	})
	return wrap(err, "rebuild keyword index")
}

// rebuildBatch indexes some hundred chunks above the id after and gives the last of
// them, or after itself when there are no more.
func rebuildBatch(ctx context.Context, tx *sql.Tx, after int64) (int64, error) {
	batch, err := foldStored(ctx, tx, `c.id > ? AND v.gone = 0 ORDER BY c.id LIMIT 500`, after)
	if err != nil {
		return after, err
	}
	for _, c := range batch {
		if err := insertWords(ctx, tx, c.id, []words{c.words}); err != nil {
			return after, err
		}
		after = c.id
	}
	return after, nil
}

// indexStoredPage puts the words of a page that was gone back into the keyword index.
func indexStoredPage(ctx context.Context, tx *sql.Tx, page stored) error {
	batch, err := foldStored(ctx, tx, `c.id BETWEEN ? AND ?`, page.first, page.first+int64(page.chunks)-1)
	if err != nil {
		return err
	}
	for _, c := range batch {
		if err := insertWords(ctx, tx, c.id, []words{c.words}); err != nil {
			return err
		}
	}
	return nil
}

// foldedChunk is a stored chunk's id with its words.
type foldedChunk struct {
	id    int64
	words words
}

// foldStored reads and folds the stored chunks that meet a condition.
func foldStored(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]foldedChunk, error) {
	return collect(ctx, tx, func(scan func(...any) error) (foldedChunk, error) {
		var c foldedChunk
		var title, lang, path, text string
		if err := scan(&c.id, &title, &lang, &path, &text); err != nil {
			return c, err
		}
		breadcrumb, err := decodePath(path)
		c.words = foldChunk(title, lang, breadcrumb, text)
		return c, err
	}, `SELECT c.id, p.title, p.lang, c.path, c.text
		FROM chunks c JOIN pages p ON p.id = c.page JOIN visits v ON v.page = p.id
		WHERE `+where, args...)
}

// purge removes the words of deleted chunks from the file: a deletion only marks them
// in the keyword index, whose segments keep them until they are merged. Pages that the
// merge gives up are zeroed (secure_delete), and the log that still has them is
// emptied. It goes in small transactions, between which others may write; until all is
// done the debt stays on record.
func (db *DB) purge(ctx context.Context) error {
	// A negative count starts the merge of everything into one segment.
	for pages := -mergePages; ; pages = mergePages {
		changed, err := db.mergeStep(ctx, pages)
		if err != nil {
			return fmt.Errorf("purge deleted words: %w", err)
		}
		if !changed {
			break
		}
	}
	if err := db.checkpoint(ctx); err != nil {
		return fmt.Errorf("purge deleted words: %w", err)
	}
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE keyword_index SET purge_owed = 0`)
		return err
	})
	return wrap(err, "record the purge")
}

// mergePages is how many pages of segments one step of a purge writes.
const mergePages = 500

// mergeStep merges about pages pages and tells whether there was anything to merge.
func (db *DB) mergeStep(ctx context.Context, pages int) (changed bool, err error) {
	err = db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var before, after int64
		if err := tx.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&before); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)`, pages); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&after); err != nil {
			return err
		}
		// The command itself counts as one change.
		changed = after-before > 1
		return nil
	})
	return changed, err
}

// checkpoint moves the write-ahead log into the file and empties it.
func (db *DB) checkpoint(ctx context.Context) error {
	var busy, logged, moved int
	err := db.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &moved)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if busy != 0 {
		return fmt.Errorf("checkpoint: a reader holds the log")
	}
	return nil
}
