package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Seen records a dedupe key and tells whether it was there already.
func (db *DB) Seen(ctx context.Context, key string, at time.Time) (bool, error) {
	seen := false
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO seen (key, at) VALUES (?, ?) ON CONFLICT DO NOTHING`, key, millis(at))
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		seen = n == 0
		return err
	})
	return seen, wrap(err, "record dedupe key")
}

// SaveConfirmation keeps what an actor will have confirmed by giving the code in the
// same conversation before it expires. A code that is there already is taken over.
func (db *DB) SaveConfirmation(ctx context.Context, code, actor, conversation, action string, expires time.Time) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO confirmations (code, actor, conversation, action, expires) VALUES (?, ?, ?, ?, ?)`,
			code, actor, conversation, action, millis(expires))
		return err
	})
	return wrap(err, "save confirmation")
}

// TakeConfirmation gives the action that a code confirms, once. It is not ok when the
// code is unknown, used, expired, or another person's or conversation's; the latter
// does not use it up.
func (db *DB) TakeConfirmation(ctx context.Context, code, actor, conversation string, at time.Time) (action string, ok bool, err error) {
	err = db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			DELETE FROM confirmations WHERE code = ? AND actor = ? AND conversation = ? AND expires > ? RETURNING action`,
			code, actor, conversation, millis(at)).Scan(&action)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, wrap(err, "take confirmation")
	}
	return action, true, nil
}

// Setting reads a setting, empty when it was never set.
func (db *DB) Setting(ctx context.Context, key string) (string, error) {
	var value string
	err := db.reader.QueryRowContext(ctx, `SELECT value FROM settings WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, wrap(err, "read setting %s", key)
}

// SetSetting writes a setting.
func (db *DB) SetSetting(ctx context.Context, key, value string) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)`, key, value)
		return err
	})
	return wrap(err, "write setting %s", key)
}
