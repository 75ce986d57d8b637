package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"footnote/knowledge"
)

// queryer is what a connection, a pool and a transaction have in common.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// selectLibraries reads libraries with their counts, from indexes alone.
const selectLibraries = `
	SELECT l.id, l.title, l.kind, l.start_url, l.scope, l.max_pages,
		l.auto_inject, l.nightly, l.archived, l.created_at, l.checked_at,
		(SELECT count(*) FROM pages p WHERE p.library = l.number),
		(SELECT coalesce(sum(p.chunks), 0) FROM pages p WHERE p.library = l.number),
		(SELECT count(*) FROM visits v JOIN pages p ON p.id = v.page WHERE v.gone = 1 AND p.library = l.number)
	FROM libraries l`

// Library reads one library. An unknown id is refused (NotFound) with the nearest
// ids in the sentence.
func (db *DB) Library(ctx context.Context, id string) (knowledge.Library, error) {
	libraries, err := queryLibraries(ctx, db.reader, selectLibraries+` WHERE l.id = ?`, id)
	if err != nil {
		return knowledge.Library{}, fmt.Errorf("read library %s: %w", id, err)
	}
	if len(libraries) == 0 {
		return knowledge.Library{}, noLibrary(ctx, db.reader, id)
	}
	return libraries[0], nil
}

// Libraries lists all of them, archived ones included, ordered by id.
func (db *DB) Libraries(ctx context.Context) ([]knowledge.Library, error) {
	libraries, err := queryLibraries(ctx, db.reader, selectLibraries+` ORDER BY l.id`)
	if err != nil {
		return nil, fmt.Errorf("list libraries: %w", err)
	}
	return libraries, nil
}

func queryLibraries(ctx context.Context, q queryer, query string, args ...any) ([]knowledge.Library, error) {
	return collect(ctx, q, func(scan func(...any) error) (knowledge.Library, error) {
		var l knowledge.Library
		var created, checked int64
		err := scan(&l.ID, &l.Title, &l.Kind, &l.StartURL, &l.Scope, &l.MaxPages,
			&l.AutoInject, &l.Nightly, &l.Archived, &created, &checked, &l.Pages, &l.Chunks, &l.Gone)
		l.CreatedAt, l.CheckedAt = fromMillis(created), fromMillis(checked)
		return l, err
	}, query, args...)
}

// collect runs a query and reads every row by the same function.
func collect[T any](ctx context.Context, q queryer, read func(scan func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := read(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

// readString reads a row of one text column.
func readString(scan func(...any) error) (s string, err error) {
	return s, scan(&s)
}

// UpdateLibrary changes AutoInject, Nightly and Archived; what change does to other
// fields is ignored. An unknown id is refused (NotFound).
func (db *DB) UpdateLibrary(ctx context.Context, id string, change func(*knowledge.Library)) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		libraries, err := queryLibraries(ctx, tx, selectLibraries+` WHERE l.id = ?`, id)
		if err != nil {
			return err
		}
		if len(libraries) == 0 {
			return noLibrary(ctx, tx, id)
		}
		l := libraries[0]
		change(&l)
		_, err = tx.ExecContext(ctx, `UPDATE libraries SET auto_inject = ?, nightly = ?, archived = ? WHERE id = ?`,
			l.AutoInject, l.Nightly, l.Archived, id)
		return err
	})
	return wrap(err, "update library %s", id)
}

// DeleteLibrary removes everything derived from a library: pages, chunks, words,
// visits, jobs with their journal, and the passages that turns kept of it. It is one
// transaction, and the purge of its words from the keyword index's segments is owed
// in the same one. It is refused while a job runs (CrawlOwnsLibrary) and for an
// unknown id (NotFound).
func (db *DB) DeleteLibrary(ctx context.Context, id string) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		number, err := ownLibrary(ctx, tx, id)
		if err != nil {
			return err
		}
		return deleteLibrary(ctx, tx, number, id)
	})
	if err != nil {
		return wrap(err, "delete library %s", id)
	}
	db.purgeOrLog(ctx, id)
	return nil
}

// ownLibrary gives a library's number for a change that no job may be in the way of.
func ownLibrary(ctx context.Context, tx *sql.Tx, id string) (int64, error) {
	number, err := libraryNumber(ctx, tx, id)
	if err != nil {
		return 0, err
	}
	if number == 0 {
		return 0, noLibrary(ctx, tx, id)
	}
	var running bool
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM jobs WHERE library = ? AND state = 'running')`, id).Scan(&running)
	if err != nil {
		return 0, err
	}
	if running {
		return 0, knowledge.Refuse(knowledge.CrawlOwnsLibrary,
			"a job is writing to %q: wait until it ends, or `/kb cancel %s` and try again", id, id)
	}
	return number, nil
}

// purgeOrLog does the purge that a deletion owes. The deletion stands whatever
// becomes of it: a purge that fails here is done by the next Maintain or Open.
func (db *DB) purgeOrLog(ctx context.Context, library string) {
	if err := db.purge(ctx); err != nil {
		db.log.WarnContext(ctx, "purge of deleted words put off", "library", library, "error", err)
	}
}

func deleteLibrary(ctx context.Context, tx *sql.Tx, number int64, id string) error {
	first, last := chunkRange(number)
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM chunks_fts WHERE rowid BETWEEN ? AND ?`, []any{first, last}},
		{`DELETE FROM chunks WHERE id BETWEEN ? AND ?`, []any{first, last}},
		{`DELETE FROM pages WHERE library = ?`, []any{number}},
		{`DELETE FROM jobs WHERE library = ?`, []any{id}},
		{`DELETE FROM libraries WHERE number = ?`, []any{number}},
		{`UPDATE turns SET passages = (
			SELECT coalesce(json_group_array(json(value)), '[]') FROM json_each(passages) WHERE value ->> 'library' <> ?1)
		  WHERE EXISTS (SELECT 1 FROM json_each(passages) WHERE value ->> 'library' = ?1)`, []any{id}},
		{`UPDATE keyword_index SET purge_owed = 1`, nil},
	} {
		if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// Usage tells how many bytes of the store are in use, free pages left out, and how
// many it may use.
func (db *DB) Usage(ctx context.Context) (used, quota int64, err error) {
	used, err = usage(ctx, db.reader)
	return used, db.options.Quota, wrap(err, "read storage in use")
}

func usage(ctx context.Context, q queryer) (used int64, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&used)
	return used, err
}

// refuseFull refuses when the store is at its quota, or would be with more bytes.
func (db *DB) refuseFull(ctx context.Context, q queryer, more int64) error {
	used, err := usage(ctx, q)
	if err != nil {
		return err
	}
	if quota := db.options.Quota; used >= quota || used+more > quota {
		return knowledge.Refuse(knowledge.StorageFull,
			"the library store is full (%.1f of %.1f MiB): delete a library or remove gone pages, or raise the quota, and try again",
			float64(used)/(1<<20), float64(quota)/(1<<20))
	}
	return nil
}

// libraryNumber gives the number of a library, 0 when there is none of that id.
func libraryNumber(ctx context.Context, q queryer, id string) (int64, error) {
	var number int64
	err := q.QueryRowContext(ctx, `SELECT number FROM libraries WHERE id = ?`, id).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return number, err
}

// noLibrary refuses an unknown id and names those that may have been meant.
func noLibrary(ctx context.Context, q queryer, id string) error {
	ids, err := collect(ctx, q, readString, `SELECT id FROM libraries ORDER BY id`)
	if err != nil {
		return err
	}
	near := nearest(id, ids)
	if len(near) == 0 {
		return knowledge.Refuse(knowledge.NotFound, "there is no library %q: `/kb list` shows those there are", id)
	}
	return knowledge.Refuse(knowledge.NotFound, "there is no library %q: did you mean %s?", id, strings.Join(near, " or "))
}

// nearest gives at most three ids that id may be a slip of, likeliest first.
func nearest(id string, ids []string) []string {
	type candidate struct {
		id       string
		distance int
	}
	var near []candidate
	for _, other := range ids {
		d := levenshtein.ComputeDistance(id, other)
		switch {
		case d <= max(1, len(other)/3):
		case len(id) >= 3 && (strings.Contains(other, id) || strings.Contains(id, other)):
			d = len(other)
		default:
			continue
		}
		near = append(near, candidate{other, d})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var out []string
	for _, c := range near[:min(3, len(near))] {
		out = append(out, c.id)
	}
	return out
}

// wrap says what was being done when err is a fault, and leaves refusals and lost
// leases as they are: those are for whoever asked.
func wrap(err error, doing string, args ...any) error {
	if err == nil {
		return nil
	}
	if _, refusal := errors.AsType[*knowledge.Error](err); refusal || errors.Is(err, knowledge.ErrLeaseLost) {
		return err
	}
	return fmt.Errorf(doing+": %w", append(args, err)...)
}

// now is the time of a row that the caller gave none for.
func now() int64 { return millis(time.Now()) }
