//go:build !cgo

package sqlite

// The name is the message: without cgo there is no SQLite to link.
var _ = footnote_needs_SQLite_FTS5_build_with_CGO_ENABLED_1_and_tags_sqlite_fts5
