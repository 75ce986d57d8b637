package sqlite

import (
	"context"
	"database/sql"

	"footnote/knowledge"
)

const selectPages = `
	SELECT p.id, l.id, p.url, p.title, p.lang, p.digest, p.changed_at, p.markdown,
		v.etag, v.last_modified, v.checked_at, v.gone_since, v.gone
	FROM pages p JOIN visits v ON v.page = p.id JOIN libraries l ON l.number = p.library`

func queryPages(ctx context.Context, q queryer, query string, args ...any) ([]knowledge.Page, error) {
	return collect(ctx, q, func(scan func(...any) error) (knowledge.Page, error) {
		var p knowledge.Page
		var changed, checked, since int64
		err := scan(&p.ID, &p.Library, &p.URL, &p.Title, &p.Lang, &p.Digest, &changed, &p.Markdown,
			&p.ETag, &p.LastModified, &checked, &since, &p.Gone)
		p.ChangedAt, p.CheckedAt, p.GoneSince = fromMillis(changed), fromMillis(checked), fromMillis(since)
		return p, err
	}, query, args...)
}

// Visits gives what is known of a library's pages, by their URL: gone ones too, since
// a refresh looks at them again. A library without pages, or none, has no visits.
func (db *DB) Visits(ctx context.Context, library string) (map[string]knowledge.Visit, error) {
	type visited struct {
		url string
		knowledge.Visit
	}
	list, err := collect(ctx, db.reader, func(scan func(...any) error) (visited, error) {
		var v visited
		var checked, since int64
		err := scan(&v.url, &v.ETag, &v.LastModified, &checked, &since, &v.Gone)
		v.CheckedAt, v.GoneSince = fromMillis(checked), fromMillis(since)
		return v, err
	}, `
		SELECT p.url, v.etag, v.last_modified, v.checked_at, v.gone_since, v.gone
		FROM libraries l JOIN pages p ON p.library = l.number JOIN visits v ON v.page = p.id
		WHERE l.id = ?`, library)
	if err != nil {
		return nil, wrap(err, "read visits of %s", library)
	}
	visits := make(map[string]knowledge.Visit, len(list))
	for _, v := range list {
		visits[v.url] = v.Visit
	}
	return visits, nil
}

// Page reads one page with its text, gone or not; an unknown one is refused
// (PageNotIngested), as is an unknown library (NotFound).
func (db *DB) Page(ctx context.Context, library, url string) (knowledge.Page, error) {
	pages, err := queryPages(ctx, db.reader, selectPages+` WHERE l.id = ? AND p.url = ?`, library, url)
	if err != nil {
		return knowledge.Page{}, wrap(err, "read page %s", url)
	}
	if len(pages) > 0 {
		return pages[0], nil
	}
	if _, err := db.Library(ctx, library); err != nil {
		return knowledge.Page{}, err
	}
	return knowledge.Page{}, knowledge.Refuse(knowledge.PageNotIngested, "%s is not in %q: `/kb add %s %s` puts it there", url, library, library, url)
}

// GonePages lists the pages of a library that are out of the answers, by URL; an
// unknown library is refused (NotFound).
func (db *DB) GonePages(ctx context.Context, library string) ([]knowledge.Page, error) {
	if _, err := db.Library(ctx, library); err != nil {
		return nil, err
	}
	pages, err := queryPages(ctx, db.reader, selectPages+` WHERE l.id = ? AND v.gone = 1 ORDER BY p.url`, library)
	return pages, wrap(err, "list gone pages of %s", library)
}

// RemoveGone deletes the gone pages of a library and tells how many there were. It is
// refused while a job runs (CrawlOwnsLibrary) and for an unknown library (NotFound).
func (db *DB) RemoveGone(ctx context.Context, library string) (int, error) {
	removed := 0
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		number, err := ownLibrary(ctx, tx, library)
		if err != nil {
			return err
		}
		pages, err := collect(ctx, tx, func(scan func(...any) error) (s stored, err error) {
			return s, scan(&s.id, &s.first, &s.chunks)
		}, `SELECT p.id, p.first_chunk, p.chunks FROM visits v JOIN pages p ON p.id = v.page WHERE v.gone = 1 AND p.library = ?`, number)
		if err != nil {
			return err
		}
		for _, page := range pages {
			if err := removeChunks(ctx, tx, page); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM pages WHERE id = ?`, page.id); err != nil {
				return err
			}
		}
		if removed = len(pages); removed > 0 {
			_, err = tx.ExecContext(ctx, `UPDATE keyword_index SET purge_owed = 1`)
		}
		return err
	})
	if err != nil {
		return 0, wrap(err, "remove gone pages of %s", library)
	}
	if removed > 0 {
		db.purgeOrLog(ctx, library)
	}
	return removed, nil
}
