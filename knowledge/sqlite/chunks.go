package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"footnote/knowledge"
)

// sequenceBits is the lower part of a chunk's id, its number within the library; the
// upper part is the library's. A library's chunks are therefore one range of ids,
// which the keyword index can be held to without asking another table.
const sequenceBits = 32

// chunkRange gives the first and last id that a library's chunks can have.
func chunkRange(library int64) (first, last int64) {
	return library << sequenceBits, (library+1)<<sequenceBits - 1
}

// Hits reads chunks with their pages, in the order of ids. Unknown ids and chunks of
// gone pages are left out. All are read at one moment.
func (db *DB) Hits(ctx context.Context, ids []int64) ([]knowledge.Hit, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	hits, err := collect(ctx, db.reader, func(scan func(...any) error) (knowledge.Hit, error) {
		var h knowledge.Hit
		var path string
		var checked int64
		err := scan(&h.ID, &h.PageID, &h.Ordinal, &path, &h.Anchor, &h.FirstLine, &h.LastLine, &h.Text,
			&h.Library, &h.PageTitle, &h.PageURL, &h.Lang, &checked)
		if err != nil {
			return h, err
		}
		h.CheckedAt = fromMillis(checked)
		h.Path, err = decodePath(path)
		return h, err
	}, `
		SELECT c.id, c.page, c.ordinal, c.path, c.anchor, c.first_line, c.last_line, c.text,
			l.id, p.title, p.url, p.lang, v.checked_at
		FROM json_each(?) AS wanted
		JOIN chunks c ON c.id = wanted.value
		JOIN pages p ON p.id = c.page
		JOIN visits v ON v.page = p.id
		JOIN libraries l ON l.number = p.library
		WHERE v.gone = 0
		ORDER BY wanted.key`, string(list))
	return hits, wrap(err, "read chunks")
}

// insertChunks stores a page's chunks under consecutive ids from first on.
func insertChunks(ctx context.Context, tx *sql.Tx, page, first int64, chunks []knowledge.Chunk) error {
	for i, c := range chunks {
		path, err := json.Marshal(c.Path)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO chunks (id, page, ordinal, path, anchor, first_line, last_line, text)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			first+int64(i), page, i, string(path), c.Anchor, c.FirstLine, c.LastLine, c.Text)
		if err != nil {
			return err
		}
	}
	return nil
}

// decodePath reads a breadcrumb; none at all is a nil path.
func decodePath(text string) ([]string, error) {
	var path []string
	if err := json.Unmarshal([]byte(text), &path); err != nil {
		return nil, fmt.Errorf("read breadcrumb: %w", err)
	}
	if len(path) == 0 {
		return nil, nil
	}
	return path, nil
}
