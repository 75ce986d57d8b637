//go:build cgo && !sqlite_fts5

package sqlite

/*
#error "footnote needs SQLite FTS5: build with -tags sqlite_fts5 (the Makefile sets it)"
*/
import "C"
