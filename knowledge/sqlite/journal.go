package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"footnote/knowledge"
)

// journalLine records what became of an address in a job.
func journalLine(ctx context.Context, tx *sql.Tx, job int64, url string, v knowledge.Visited) error {
	var code knowledge.Code
	var reason string
	if v.Err != nil {
		code, reason = v.Err.Code, v.Err.Reason
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO job_pages (job, url, depth, outcome, code, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (job, url) DO UPDATE SET
			outcome = excluded.outcome, code = excluded.code, reason = excluded.reason, at = excluded.at`,
		job, url, v.Depth, v.Outcome, code, reason, millis(v.At))
	return err
}

// journalFound adds addresses that are still to be fetched, all by one statement.
func journalFound(ctx context.Context, tx *sql.Tx, job int64, found []knowledge.Pending) error {
	if len(found) == 0 {
		return nil
	}
	list, err := json.Marshal(found)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO job_pages (job, url, depth)
		SELECT ?, value ->> 'URL', value ->> 'Depth' FROM json_each(?) WHERE true
		ON CONFLICT DO NOTHING`, job, string(list))
	return err
}

// addCounts adds to a job's counters and checks that owner still has it: when not, it
// answers knowledge.ErrLeaseLost and the transaction must end.
func addCounts(ctx context.Context, tx *sql.Tx, job int64, owner string, add knowledge.Counts, at int64) error {
	return updateOwned(ctx, tx, `
		UPDATE jobs SET new = new + ?, changed = changed + ?, unchanged = unchanged + ?,
			excluded = excluded + ?, redirects = redirects + ?, gone_pages = gone_pages + ?,
			failures = failures + ?, skipped = skipped + ?, discovered = max(discovered, ?),
			chunks = chunks + ?, updated_at = ?
		WHERE id = ? AND owner = ? AND state = 'running'`,
		add.New, add.Changed, add.Unchanged, add.Excluded, add.Redirects, add.GonePages,
		add.Failures, add.Skipped, add.Discovered, add.Chunks, at, job, owner)
}

// Frontier gives what a job has dealt with, whatever the outcome, and what it still
// has to fetch, nearest to the start first.
func (db *DB) Frontier(ctx context.Context, id int64) (done []string, pending []knowledge.Pending, err error) {
	type line struct {
		knowledge.Pending
		done bool
	}
	lines, err := collect(ctx, db.reader, func(scan func(...any) error) (l line, err error) {
		return l, scan(&l.URL, &l.Depth, &l.done)
	}, `SELECT url, depth, outcome <> '' FROM job_pages WHERE job = ? ORDER BY depth, url`, id)
	if err != nil {
		return nil, nil, wrap(err, "read frontier of job %d", id)
	}
	for _, l := range lines {
		if l.done {
			done = append(done, l.URL)
		} else {
			pending = append(pending, l.Pending)
		}
	}
	return done, pending, nil
}

// failedOutcomes are those of addresses that were not ingested against the wish of
// whoever started the job; excluded pages and redirects are as it should be.
const failedOutcomes = `outcome IN ('failed', 'gone', 'skipped')`

// Failures lists at most limit addresses that a job did not ingest, failures before
// what is gone and what was skipped by rule, and counts all of them by code.
func (db *DB) Failures(ctx context.Context, id int64, limit int) (list []knowledge.Failure, byCode map[knowledge.Code]int, err error) {
	list, err = collect(ctx, db.reader, func(scan func(...any) error) (f knowledge.Failure, err error) {
		var at int64
		err = scan(&f.URL, &f.Code, &f.Reason, &at)
		f.At = fromMillis(at)
		return f, err
	}, `SELECT url, code, reason, at FROM job_pages WHERE job = ? AND `+failedOutcomes+` ORDER BY outcome, url LIMIT ?`, id, limit)
	if err != nil {
		return nil, nil, wrap(err, "list failures of job %d", id)
	}
	type group struct {
		code  knowledge.Code
		count int
	}
	groups, err := collect(ctx, db.reader, func(scan func(...any) error) (g group, err error) {
		return g, scan(&g.code, &g.count)
	}, `SELECT code, count(*) FROM job_pages WHERE job = ? AND `+failedOutcomes+` GROUP BY code`, id)
	if err != nil {
		return nil, nil, wrap(err, "count failures of job %d", id)
	}
	byCode = make(map[knowledge.Code]int, len(groups))
	for _, g := range groups {
		byCode[g.code] = g.count
	}
	return list, byCode, nil
}
