package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"footnote/knowledge"
)

// stored is what the store holds of an address. A zero id means nothing.
type stored struct {
	id      int64
	digest  string
	first   int64 // id of the first chunk
	chunks  int
	gone    bool
	goneJob int64
}

// Publish records one visit in one transaction: the page with its chunks and words
// where there is a new or changed document, the visit, the job's journal line, the
// addresses found, and the counters. The library is created with its first page. An
// unchanged page (equal digest) is not written.
//
// Refused with nothing written: a page too many (ResourceLimit), a full store
// (StorageFull), a library too many (LibraryLimit). When the job has another owner or
// has ended, it answers knowledge.ErrLeaseLost and writes nothing either.
func (db *DB) Publish(ctx context.Context, p knowledge.Publication) (knowledge.Stored, error) {
	p.Visited.At = orNow(p.Visited.At)
	if p.Visited.URL == "" {
		p.Visited.URL = p.Visited.Requested
	}
	if p.Visited.Outcome == knowledge.Fetched && p.Page.URL == "" {
		p.Page.URL = p.Visited.URL
	}
	w := &publishing{db: db, p: p}
	if err := w.fold(ctx); err != nil {
		return knowledge.StoredNothing, wrap(err, "publish %s", p.Visited.URL)
	}
	var result knowledge.Stored
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		result, err = w.run(ctx, tx)
		return err
	})
	if err != nil {
		return knowledge.StoredNothing, wrap(err, "publish %s", p.Visited.URL)
	}
	return result, nil
}

// publishing is one Publish under way.
type publishing struct {
	db      *DB
	p       knowledge.Publication
	library int64 // number, 0 while there is none
	old     stored
	words   []words
}

// fold does the costly work before the transaction: the lock is held for writing
// alone. A page that is stored as it is needs none.
func (w *publishing) fold(ctx context.Context) error {
	if w.p.Visited.Outcome != knowledge.Fetched {
		return nil
	}
	library, err := libraryNumber(ctx, w.db.reader, w.p.Job.Library)
	if err != nil {
		return err
	}
	old, err := findPage(ctx, w.db.reader, library, w.p.Page.URL)
	if err != nil {
		return err
	}
	if old.id == 0 || old.digest != w.p.Page.Digest || old.gone {
		w.words = foldChunks(w.p.Page.Title, w.p.Page.Lang, w.p.Chunks)
	}
	return nil
}

func (w *publishing) run(ctx context.Context, tx *sql.Tx) (knowledge.Stored, error) {
	var err error
	if w.library, err = libraryNumber(ctx, tx, w.p.Job.Library); err != nil {
		return "", err
	}
	if w.old, err = findPage(ctx, tx, w.library, w.p.Visited.URL); err != nil {
		return "", err
	}
	if w.old.id == 0 && w.p.Visited.Outcome == knowledge.Vanished {
		// The address of a stored page may lead to one that does not exist.
		if w.old, err = findPage(ctx, tx, w.library, w.p.Visited.Requested); err != nil {
			return "", err
		}
	}
	result, add, err := w.outcome(ctx, tx)
	if err != nil {
		return "", err
	}
	// Two addresses of a job may lead to one page: it is kept, and counted, once.
	if add.Kept() > 0 {
		again, err := keptBefore(ctx, tx, w.p.Job.ID, w.p.Visited.URL)
		if err != nil {
			return "", err
		}
		if again {
			add = knowledge.Counts{}
		}
	}
	add.Discovered = w.p.Visited.Discovered
	if err := addCounts(ctx, tx, w.p.Job.ID, w.p.Job.Owner, add, now()); err != nil {
		return "", err
	}
	return result, w.journal(ctx, tx)
}

// outcome writes the library's side of a visit and tells what it adds to the counts.
func (w *publishing) outcome(ctx context.Context, tx *sql.Tx) (knowledge.Stored, knowledge.Counts, error) {
	switch w.p.Visited.Outcome {
	case knowledge.Fetched:
		return w.fetched(ctx, tx)
	case knowledge.NotModified:
		if w.old.id == 0 {
			return knowledge.StoredNothing, knowledge.Counts{}, nil
		}
		counts := knowledge.Counts{Unchanged: 1, Chunks: w.old.chunks}
		return knowledge.StoredUnchanged, counts, w.seen(ctx, tx, w.old)
	case knowledge.Vanished:
		if w.old.id == 0 {
			return knowledge.StoredNothing, knowledge.Counts{Failures: 1}, nil
		}
		return knowledge.StoredNothing, knowledge.Counts{GonePages: 1}, w.vanished(ctx, tx)
	case knowledge.Redirected:
		return knowledge.StoredNothing, knowledge.Counts{Redirects: 1}, nil
	case knowledge.Excluded:
		return knowledge.StoredNothing, knowledge.Counts{Excluded: 1}, nil
	case knowledge.Skipped:
		return knowledge.StoredNothing, knowledge.Counts{Skipped: 1}, nil
	default:
		return knowledge.StoredNothing, knowledge.Counts{Failures: 1}, nil
	}
}

// fetched stores a document.
func (w *publishing) fetched(ctx context.Context, tx *sql.Tx) (knowledge.Stored, knowledge.Counts, error) {
	counts := knowledge.Counts{Chunks: len(w.p.Chunks)}
	if w.old.id != 0 && w.old.digest == w.p.Page.Digest {
		counts.Unchanged = 1
		return knowledge.StoredUnchanged, counts, w.seen(ctx, tx, w.old)
	}
	if err := w.db.refuseFull(ctx, tx, w.size()); err != nil {
		return "", counts, err
	}
	if err := w.ensureLibrary(ctx, tx); err != nil {
		return "", counts, err
	}
	if w.words == nil {
		w.words = foldChunks(w.p.Page.Title, w.p.Page.Lang, w.p.Chunks)
	}
	var page stored
	var err error
	result := knowledge.StoredNew
	if w.old.id == 0 {
		counts.New = 1
		if err := w.refusePage(ctx, tx); err != nil {
			return "", counts, err
		}
		page, err = w.insertPage(ctx, tx)
	} else {
		counts.Changed = 1
		result = knowledge.StoredChanged
		page, err = w.replacePage(ctx, tx)
	}
	if err != nil {
		return "", counts, err
	}
	if err := insertChunks(ctx, tx, page.id, page.first, w.p.Chunks); err != nil {
		return "", counts, err
	}
	if err := insertWords(ctx, tx, page.first, w.words); err != nil {
		return "", counts, err
	}
	return result, counts, w.seen(ctx, tx, page)
}

// size is about what the page will take: its text twice, once whole and once as
// chunks, and as much for the words.
func (w *publishing) size() int64 { return 3 * int64(len(w.p.Page.Markdown)) }

// ensureLibrary creates the library with its first page. A crawl that stores a page
// makes its start, scope and number those of the library, which refresh goes by.
func (w *publishing) ensureLibrary(ctx context.Context, tx *sql.Tx) error {
	job := w.p.Job
	if w.library != 0 {
		if job.Kind != knowledge.JobCrawl {
			return nil
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE libraries SET start_url = ?1, scope = ?2, max_pages = ?3
			WHERE number = ?4 AND (start_url, scope, max_pages) <> (?1, ?2, ?3)`,
			job.Start, job.Scope, job.MaxPages, w.library)
		return err
	}
	if err := w.db.refuseNewLibrary(ctx, tx, job.Library); err != nil {
		return err
	}
	if job.Kind == knowledge.JobAdd {
		job.Start, job.Scope, job.MaxPages = "", "", 0
	}
	result, err := tx.ExecContext(ctx, `
		INSERT INTO libraries (id, title, kind, start_url, scope, max_pages, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		job.Library, cmp.Or(job.Title, job.Library), knowledge.Docs, job.Start, job.Scope, job.MaxPages, now())
	if err != nil {
		return err
	}
	w.library, err = result.LastInsertId()
	return err
}

// refusePage refuses a new page when the library has as many as it may.
func (w *publishing) refusePage(ctx context.Context, tx *sql.Tx) error {
	var pages int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM pages WHERE library = ?`, w.library).Scan(&pages); err != nil {
		return err
	}
	if limit := w.db.options.MaxPages; pages >= limit {
		return knowledge.Refuse(knowledge.ResourceLimit,
			"%q has %d pages, which is the most a library can have: put the rest into another one", w.p.Job.Library, limit)
	}
	return nil
}

func (w *publishing) insertPage(ctx context.Context, tx *sql.Tx) (stored, error) {
	first, err := w.takeChunkIDs(ctx, tx)
	if err != nil {
		return stored{}, err
	}
	p := w.p.Page
	result, err := tx.ExecContext(ctx, `
		INSERT INTO pages (library, url, title, lang, digest, changed_at, first_chunk, chunks, markdown)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		w.library, p.URL, p.Title, p.Lang, p.Digest, millis(w.p.Visited.At), first, len(w.p.Chunks), p.Markdown)
	if err != nil {
		return stored{}, err
	}
	id, err := result.LastInsertId()
	return stored{id: id, first: first, chunks: len(w.p.Chunks)}, err
}

// replacePage takes the old chunks and their words away and writes the page anew
// under its id.
func (w *publishing) replacePage(ctx context.Context, tx *sql.Tx) (stored, error) {
	if err := removeChunks(ctx, tx, w.old); err != nil {
		return stored{}, err
	}
	first, err := w.takeChunkIDs(ctx, tx)
	if err != nil {
		return stored{}, err
	}
	p := w.p.Page
	_, err = tx.ExecContext(ctx, `
		UPDATE pages SET title = ?, lang = ?, digest = ?, changed_at = ?, first_chunk = ?, chunks = ?, markdown = ? WHERE id = ?`,
		p.Title, p.Lang, p.Digest, millis(w.p.Visited.At), first, len(w.p.Chunks), p.Markdown, w.old.id)
	return stored{id: w.old.id, first: first, chunks: len(w.p.Chunks)}, err
}

// removeChunks takes a page's chunks and their words away.
func removeChunks(ctx context.Context, tx *sql.Tx, page stored) error {
	if err := deleteWords(ctx, tx, page.first, page.chunks); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM chunks WHERE id BETWEEN ? AND ?`, page.first, page.first+int64(page.chunks)-1)
	return err
}

// takeChunkIDs sets ids aside for the page's chunks and gives the first.
func (w *publishing) takeChunkIDs(ctx context.Context, tx *sql.Tx) (int64, error) {
	var next int64
	err := tx.QueryRowContext(ctx, `UPDATE libraries SET next_chunk = next_chunk + ? WHERE number = ? RETURNING next_chunk`,
		len(w.p.Chunks), w.library).Scan(&next)
	first, _ := chunkRange(w.library)
	return first + next - int64(len(w.p.Chunks)), err
}

// seen records that the page lives. One that had been out of the answers comes back.
func (w *publishing) seen(ctx context.Context, tx *sql.Tx, page stored) error {
	v := w.p.Visited
	_, err := tx.ExecContext(ctx, `
		INSERT INTO visits (page, etag, last_modified, checked_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (page) DO UPDATE SET
			etag = CASE WHEN ?5 AND excluded.etag = '' THEN etag ELSE excluded.etag END,
			last_modified = CASE WHEN ?5 AND excluded.last_modified = '' THEN last_modified ELSE excluded.last_modified END,
			checked_at = excluded.checked_at, gone_since = 0, gone_job = 0, gone = 0`,
		page.id, v.ETag, v.LastModified, millis(v.At), v.Outcome == knowledge.NotModified)
	if err != nil {
		return err
	}
	if page.gone {
		if err := indexStoredPage(ctx, tx, page); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE libraries SET checked_at = ?1 WHERE number = ?2 AND checked_at < ?1`, millis(v.At), w.library)
	return err
}

// vanished records that a stored page answered 404 or 410: the first job to see it
// notes the time, any later one takes the page out of the answers.
func (w *publishing) vanished(ctx context.Context, tx *sql.Tx) error {
	at := millis(w.p.Visited.At)
	gone := w.old.gone || w.old.goneJob != 0 && w.old.goneJob != w.p.Job.ID
	_, err := tx.ExecContext(ctx, `
		UPDATE visits SET checked_at = ?1, gone = ?2,
			gone_since = CASE gone_since WHEN 0 THEN ?1 ELSE gone_since END,
			gone_job = CASE gone_job WHEN 0 THEN ?3 ELSE gone_job END
		WHERE page = ?4`, at, gone, w.p.Job.ID, w.old.id)
	if err != nil {
		return err
	}
	if gone && !w.old.gone {
		return deleteWords(ctx, tx, w.old.first, w.old.chunks)
	}
	return nil
}

// journal writes the line of the address as it was requested, and of the page's own
// where that is another, so that a resumed job fetches neither again.
func (w *publishing) journal(ctx context.Context, tx *sql.Tx) error {
	v, job := w.p.Visited, w.p.Job.ID
	if err := journalLine(ctx, tx, job, cmp.Or(v.Requested, v.URL), v); err != nil {
		return err
	}
	final := v.Outcome == knowledge.Fetched || v.Outcome == knowledge.NotModified || v.Outcome == knowledge.Excluded
	if final && v.Requested != v.URL && v.Requested != "" {
		if err := journalLine(ctx, tx, job, v.URL, v); err != nil {
			return err
		}
	}
	return journalFound(ctx, tx, job, v.Found)
}

// findPage looks an address up; without a page the result is zero.
func findPage(ctx context.Context, q queryer, library int64, url string) (stored, error) {
	var s stored
	err := q.QueryRowContext(ctx, `
		SELECT p.id, p.digest, p.first_chunk, p.chunks, v.gone, v.gone_job
		FROM pages p JOIN visits v ON v.page = p.id WHERE p.library = ? AND p.url = ?`, library, url).
		Scan(&s.id, &s.digest, &s.first, &s.chunks, &s.gone, &s.goneJob)
	if errors.Is(err, sql.ErrNoRows) {
		return stored{}, nil
	}
	return s, err
}

// keptBefore tells whether the job has kept this page already.
func keptBefore(ctx context.Context, tx *sql.Tx, job int64, url string) (bool, error) {
	var kept bool
	err := tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM job_pages WHERE job = ? AND url = ? AND outcome IN (?, ?))`,
		job, url, knowledge.Fetched, knowledge.NotModified).Scan(&kept)
	return kept, err
}
