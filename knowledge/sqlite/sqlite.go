// Package sqlite is the embedded store: one file, knowledge.db, with every row of the
// library, its words, and the little state that a restart must find again.
//
// There is one writing connection, whose transactions take the lock when they begin,
// beside a pool of read-only ones: a reader never waits for a writer and sees the
// state before a transaction or after it. Several processes may open the same file.
//
// Kind: doer. Imports knowledge and knowledge/fold.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"

	"footnote/knowledge"
)

// The defaults of Options.
const (
	DefaultQuota        = 1 << 30
	DefaultMaxLibraries = 500
	DefaultMaxPages     = 5000
	DefaultMaxRunning   = 4
)

const (
	busyTimeout = 10 * time.Second // how long one process waits for another's transaction
	readers     = 8                // connections of the read-only pool
)

// Options say where the store is and what it may hold. Zero limits are the defaults.
type Options struct {
	Path         string // of the file; its folder is created
	Quota        int64  // bytes of pages in use above which nothing is ingested
	MaxLibraries int    // archived ones included
	MaxPages     int    // in one library
	MaxRunning   int    // crawls and refreshes at one time
	Log          *slog.Logger
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	path    string
	writer  *sql.DB // one connection
	reader  *sql.DB // query_only
	options Options
	log     *slog.Logger
}

// Open opens or creates the store, brings its schema up to date, and finishes what a
// crash left owing: the purge of deleted words, and an index of another fold.Version.
// The caller closes it.
func Open(ctx context.Context, o Options) (*DB, error) {
	o = withDefaults(o)
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db := &DB{path: path, options: o, log: o.Log}
	if db.writer, err = sql.Open("sqlite3", writerDSN(path)); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	db.writer.SetMaxOpenConns(1)
	if db.reader, err = sql.Open("sqlite3", readerDSN(path)); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.writer.Close())
	}
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	if err := db.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), db.Close())
	}
	return db, nil
}

// private makes the file and, where it is missing, its folder, both for their owner
// alone: what people asked is in there. The log and index files that SQLite puts beside
// the file get its permissions.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// Close closes every connection. Transactions under way end first.
func (db *DB) Close() error {
	return errors.Join(db.reader.Close(), db.writer.Close())
}

// prepare does the part of Open that needs a connection.
func (db *DB) prepare(ctx context.Context) error {
	var fts5 bool
	if err := db.writer.QueryRowContext(ctx, `SELECT sqlite_compileoption_used('ENABLE_FTS5')`).Scan(&fts5); err != nil {
		return fmt.Errorf("open %s: %w", db.path, err)
	}
	if !fts5 {
		return errors.New("this SQLite has no FTS5: build footnote with -tags sqlite_fts5 and without the libsqlite3 tag")
	}
	steps, err := readMigrations(migrations)
	if err != nil {
		return err
	}
	if err := db.migrate(ctx, steps); err != nil {
		return err
	}
	// The driver has no DSN parameter for this one, and the pool has one connection: should
	// that ever be replaced, SQLite's own 1,000 pages are only slower. A crawl published a
	// fifth faster with the larger log.
	if _, err := db.writer.ExecContext(ctx, `PRAGMA wal_autocheckpoint = 8000`); err != nil {
		return fmt.Errorf("set checkpoint size: %w", err)
	}
	return db.settleKeywords(ctx)
}

// write runs f in one transaction of the writing connection and commits unless f
// fails. f's error is returned as it is, so that refusals keep their code.
//
// Only the wait for the connection can be cancelled: f gets a context that cannot, as
// the driver and database/sql would else start a goroutine with every statement to
// watch it. What takes long looks at the caller's context by itself.
func (db *DB) write(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return fmt.Errorf("wait for the writing connection: %w", err)
	}
	defer conn.Close()
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	if err := f(ctx, tx); err != nil {
		if rollback := tx.Rollback(); rollback != nil {
			return diskFull(errors.Join(err, fmt.Errorf("roll back: %w", rollback)))
		}
		return diskFull(err)
	}
	return diskFull(wrap(tx.Commit(), "commit"))
}

// diskFull makes a refusal of a write that found no room: people can mend that. Other
// errors it returns as they are.
func diskFull(err error) error {
	if fault, ok := errors.AsType[sqlite3.Error](err); !ok || fault.Code != sqlite3.ErrFull {
		return err
	}
	return &knowledge.Error{
		Code:   knowledge.StorageFull,
		Reason: "the disk that holds the libraries is full: free some space on it and try again",
		Cause:  err,
	}
}

func withDefaults(o Options) Options {
	if o.Quota <= 0 {
		o.Quota = DefaultQuota
	}
	if o.MaxLibraries <= 0 {
		o.MaxLibraries = DefaultMaxLibraries
	}
	if o.MaxPages <= 0 {
		o.MaxPages = DefaultMaxPages
	}
	if o.MaxRunning <= 0 {
		o.MaxRunning = DefaultMaxRunning
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// writerDSN names every pragma, since one that is set by a statement reaches a single
// connection of a pool.
func writerDSN(path string) string {
	return dsn(path, url.Values{
		"mode":             {"rwc"},
		"_txlock":          {"immediate"},
		"_auto_vacuum":     {"incremental"},
		"_journal_mode":    {"WAL"},
		"_synchronous":     {"NORMAL"},
		"_foreign_keys":    {"on"},
		"_secure_delete":   {"on"},
		"_cache_size":      {"-16384"},
		"_stmt_cache_size": {"64"},
	})
}

func readerDSN(path string) string {
	return dsn(path, url.Values{
		"mode":             {"ro"},
		"_query_only":      {"on"},
		"_cache_size":      {"-8192"},
		"_stmt_cache_size": {"32"},
	})
}

func dsn(path string, params url.Values) string {
	params.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	escaped := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	return "file:" + escaped + "?" + params.Encode()
}

// millis is how a time is stored; the zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
