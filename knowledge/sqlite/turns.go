package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"footnote/knowledge"
)

// SaveTurn records an answered question.
func (db *DB) SaveTurn(ctx context.Context, t knowledge.Turn) error {
	passages, err := json.Marshal(t.Passages)
	if err != nil {
		return wrap(err, "save turn")
	}
	if t.Passages == nil {
		passages = []byte("[]")
	}
	err = db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO turns (conversation, actor, question, outcome, passages, at, latency) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			t.Conversation, t.Actor, t.Question, t.Outcome, string(passages), millis(orNow(t.At)), t.Latency.Milliseconds())
		return err
	})
	return wrap(err, "save turn")
}

// LatestTurn reads the last turn of a conversation; NotFound when there is none.
func (db *DB) LatestTurn(ctx context.Context, conversation string) (knowledge.Turn, error) {
	turns, err := collect(ctx, db.reader, func(scan func(...any) error) (knowledge.Turn, error) {
		var t knowledge.Turn
		var passages string
		var at, latency int64
		err := scan(&t.ID, &t.Conversation, &t.Actor, &t.Question, &t.Outcome, &passages, &at, &latency)
		if err != nil {
			return t, err
		}
		t.At, t.Latency = fromMillis(at), time.Duration(latency)*time.Millisecond
		err = json.Unmarshal([]byte(passages), &t.Passages)
		if len(t.Passages) == 0 {
			t.Passages = nil
		}
		return t, err
	}, `SELECT id, conversation, actor, question, outcome, passages, at, latency
		FROM turns WHERE conversation = ? ORDER BY id DESC LIMIT 1`, conversation)
	if err != nil {
		return knowledge.Turn{}, wrap(err, "read latest turn")
	}
	if len(turns) == 0 {
		return knowledge.Turn{}, knowledge.Refuse(knowledge.NotFound, "no question has been answered here yet")
	}
	return turns[0], nil
}
