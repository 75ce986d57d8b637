package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migration is one step of the schema; its number is the user_version that it leaves.
type migration struct {
	number int
	name   string
	sql    string
}

// readMigrations lists the steps in order. They are numbered from 1 without a gap, so
// that a step which is forgotten in a merge fails at once and not at a customer's.
func readMigrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var steps []migration
	for i, name := range names {
		digits, _, _ := strings.Cut(path.Base(name), "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s: want number %04d", name, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		steps = append(steps, migration{number: number, name: path.Base(name), sql: string(text)})
	}
	return steps, nil
}

// migrate brings the file to the newest schema, each step in its own transaction.
// Another process may be doing the same: the version is read again under the lock.
func (db *DB) migrate(ctx context.Context, steps []migration) error {
	var version int
	if err := db.writer.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if version > len(steps) {
		return fmt.Errorf("%s was written by a newer footnote (schema %d, this one knows %d): run that version, or restore a backup made before the upgrade",
			db.path, version, len(steps))
	}
	if version < 0 {
		return fmt.Errorf("%s was not written by footnote (schema %d): choose another data folder", db.path, version)
	}
	for _, step := range steps[version:] {
		err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
				return err
			}
			if version >= step.number {
				return nil
			}
			if _, err := tx.ExecContext(ctx, step.sql); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, step.number))
			return err
		})
		if err != nil {
			return fmt.Errorf("migrate %s to %s: %w", db.path, step.name, err)
		}
	}
	return nil
}
