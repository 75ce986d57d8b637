package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"footnote/knowledge"
)

const jobColumns = `
	id, library, title, kind, start_url, scope, max_pages, robots, state, reason, code,
	reply_to, announced, asked_by, owner, lease_until, started_at, updated_at, ended_at,
	new, changed, unchanged, excluded, redirects, gone_pages, failures, skipped, discovered, chunks`

const selectJobs = `SELECT ` + jobColumns + ` FROM jobs`

func queryJobs(ctx context.Context, q queryer, query string, args ...any) ([]knowledge.Job, error) {
	return collect(ctx, q, func(scan func(...any) error) (knowledge.Job, error) {
		var j knowledge.Job
		var lease, started, updated, ended int64
		err := scan(&j.ID, &j.Library, &j.Title, &j.Kind, &j.Start, &j.Scope, &j.MaxPages, &j.Robots, &j.State, &j.Reason, &j.Code,
			&j.ReplyTo, &j.Announced, &j.By, &j.Owner, &lease, &started, &updated, &ended,
			&j.New, &j.Changed, &j.Unchanged, &j.Excluded, &j.Redirects, &j.GonePages, &j.Failures, &j.Skipped, &j.Discovered, &j.Chunks)
		j.LeaseUntil, j.StartedAt = fromMillis(lease), fromMillis(started)
		j.UpdatedAt, j.EndedAt = fromMillis(updated), fromMillis(ended)
		return j, err
	}, query, args...)
}

// StartJob puts a job into the journal as running and gives it back with its ID. It
// is refused while another job runs on the library (LibraryBusy), when MaxRunning
// crawls and refreshes run already (ResourceLimit), when the library would be one too
// many (LibraryLimit) and when the store is full (StorageFull); then nothing is written.
func (db *DB) StartJob(ctx context.Context, j knowledge.Job) (knowledge.Job, error) {
	j.State = knowledge.Running
	j.StartedAt, j.UpdatedAt = orNow(j.StartedAt), orNow(j.StartedAt)
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := db.admit(ctx, tx, j); err != nil {
			return err
		}
		if err := db.refuseFull(ctx, tx, 0); err != nil {
			return err
		}
		if err := db.refuseNewLibrary(ctx, tx, j.Library); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			INSERT INTO jobs (library, title, kind, start_url, scope, max_pages, robots, state,
				reply_to, asked_by, owner, lease_until, started_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.Library, j.Title, j.Kind, j.Start, j.Scope, j.MaxPages, j.Robots, j.State,
			j.ReplyTo, j.By, j.Owner, millis(j.LeaseUntil), millis(j.StartedAt), millis(j.UpdatedAt))
		if err != nil {
			return err
		}
		j.ID, err = result.LastInsertId()
		return err
	})
	if err != nil {
		return knowledge.Job{}, wrap(err, "start job on %s", j.Library)
	}
	return j, nil
}

// admit refuses a job when its library has one already, or when there are too many.
// A page that is added alone is not counted: it ends in seconds.
func (db *DB) admit(ctx context.Context, tx *sql.Tx, j knowledge.Job) error {
	running, err := queryJobs(ctx, tx, selectJobs+` WHERE state = 'running'`)
	if err != nil {
		return err
	}
	crawls := 0
	for _, r := range running {
		if r.Library == j.Library {
			return knowledge.Refuse(knowledge.LibraryBusy,
				"%q is being written by another job (%s): wait until it ends, or `/kb cancel %s`", j.Library, r.Kind, j.Library)
		}
		if r.Kind != knowledge.JobAdd {
			crawls++
		}
	}
	if j.Kind != knowledge.JobAdd && crawls >= db.options.MaxRunning {
		return knowledge.Refuse(knowledge.ResourceLimit, "%d crawls are running, which is the most at one time: try again when one has ended", crawls)
	}
	return nil
}

// refuseNewLibrary refuses when the library does not exist yet and there is no room
// for another one. Libraries that running jobs are about to create take their place.
func (db *DB) refuseNewLibrary(ctx context.Context, q queryer, id string) error {
	var others int
	err := q.QueryRowContext(ctx, `
		SELECT count(*) FROM (SELECT id FROM libraries UNION SELECT library FROM jobs WHERE state = 'running')
		WHERE NOT EXISTS (SELECT 1 FROM libraries WHERE id = ?1) AND id <> ?1`, id).Scan(&others)
	if err != nil {
		return err
	}
	if limit := db.options.MaxLibraries; others >= limit {
		return knowledge.Refuse(knowledge.LibraryLimit,
			"there are %d libraries, archived ones included, which is the most: delete one and try again", limit)
	}
	return nil
}

// RenewLease moves the lease of a running job. When owner has it no more it answers
// knowledge.ErrLeaseLost.
func (db *DB) RenewLease(ctx context.Context, id int64, owner string, until time.Time) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return updateOwned(ctx, tx, `UPDATE jobs SET lease_until = ?, updated_at = ? WHERE id = ? AND owner = ? AND state = 'running'`,
			millis(until), now(), id, owner)
	})
	return wrap(err, "renew lease of job %d", id)
}

// FinishJob ends a running job. When owner has it no more it answers
// knowledge.ErrLeaseLost.
func (db *DB) FinishJob(ctx context.Context, id int64, owner string, state knowledge.JobState, code knowledge.Code, reason string) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		at := now()
		return updateOwned(ctx, tx, `
			UPDATE jobs SET state = ?, code = ?, reason = ?, updated_at = ?, ended_at = ?
			WHERE id = ? AND owner = ? AND state = 'running'`,
			state, code, reason, at, at, id, owner)
	})
	return wrap(err, "finish job %d", id)
}

// updateOwned runs an update of one running job that names its owner.
func updateOwned(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return knowledge.ErrLeaseLost
	}
	return nil
}

// ResumeJob sets an interrupted or cancelled job running again under a new owner. Its
// outcome goes to replyTo, or where the job was first asked for when that is empty. Any
// other job is refused (ResumeRefused), and the limits of StartJob hold.
func (db *DB) ResumeJob(ctx context.Context, id int64, owner string, until time.Time, replyTo string) (knowledge.Job, error) {
	var resumed knowledge.Job
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		j, err := readJob(ctx, tx, ` WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if j.State == knowledge.Running {
			return knowledge.Refuse(knowledge.LibraryBusy, "this job of %q is running", j.Library)
		}
		if j.State != knowledge.Interrupted && j.State != knowledge.Cancelled {
			return knowledge.Refuse(knowledge.ResumeRefused,
				"the last job of %q is %s, there is nothing to resume: `/kb refresh %s` reads it again", j.Library, j.State, j.Library)
		}
		if err := db.admit(ctx, tx, j); err != nil {
			return err
		}
		if err := db.refuseFull(ctx, tx, 0); err != nil {
			return err
		}
		if err := db.refuseNewLibrary(ctx, tx, j.Library); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE jobs SET state = 'running', code = '', reason = '', announced = 0,
				owner = ?, lease_until = ?, updated_at = ?, ended_at = 0, reply_to = coalesce(nullif(?, ''), reply_to)
			WHERE id = ?`, owner, millis(until), now(), replyTo, id)
		if err != nil {
			return err
		}
		resumed, err = readJob(ctx, tx, ` WHERE id = ?`, id)
		return err
	})
	return resumed, wrap(err, "resume job %d", id)
}

// RecoverJobs ends the running jobs whose owner is dead as interrupted, and gives
// them. A process of this install on this host is asked for by alive; of others only
// the lapsed lease is known.
func (db *DB) RecoverJobs(ctx context.Context, me knowledge.Owner, alive func(process string) bool, at time.Time) ([]knowledge.Job, error) {
	var recovered []knowledge.Job
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		running, err := queryJobs(ctx, tx, selectJobs+` WHERE state = 'running' ORDER BY id`)
		if err != nil {
			return err
		}
		here := knowledge.Owner{Install: me.Install, Host: me.Host}.String()
		for _, j := range running {
			reason := "the lease of the process that ran it lapsed"
			if process, local := strings.CutPrefix(j.Owner, here); local {
				if alive(process) {
					continue
				}
				reason = "the process that ran it ended before it did"
			} else if !j.LeaseUntil.Before(at) {
				continue
			}
			_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'interrupted', reason = ?, updated_at = ?, ended_at = ? WHERE id = ?`,
				reason, millis(at), millis(at), j.ID)
			if err != nil {
				return err
			}
			j.State, j.Reason, j.UpdatedAt, j.EndedAt = knowledge.Interrupted, reason, fromMillis(millis(at)), fromMillis(millis(at))
			recovered = append(recovered, j)
		}
		return nil
	})
	if err != nil {
		return nil, wrap(err, "recover jobs")
	}
	return recovered, nil
}

// Job reads one job; an unknown one is refused (NotFound).
func (db *DB) Job(ctx context.Context, id int64) (knowledge.Job, error) {
	j, err := readJob(ctx, db.reader, ` WHERE id = ?`, id)
	return j, wrap(err, "read job %d", id)
}

// LatestJob reads the job of a library that was started last; NotFound when it never had one.
func (db *DB) LatestJob(ctx context.Context, library string) (knowledge.Job, error) {
	j, err := readJob(ctx, db.reader, ` WHERE library = ? ORDER BY id DESC LIMIT 1`, library)
	if errors.Is(err, &knowledge.Error{Code: knowledge.NotFound}) {
		return j, knowledge.Refuse(knowledge.NotFound, "no job has run on %q", library)
	}
	return j, wrap(err, "read latest job of %s", library)
}

func readJob(ctx context.Context, q queryer, where string, arg any) (knowledge.Job, error) {
	jobs, err := queryJobs(ctx, q, selectJobs+where, arg)
	if err != nil {
		return knowledge.Job{}, err
	}
	if len(jobs) == 0 {
		return knowledge.Job{}, knowledge.Refuse(knowledge.NotFound, "there is no such job: its record may have been cleared away")
	}
	return jobs[0], nil
}

// RunningJobs lists the running jobs, oldest first.
func (db *DB) RunningJobs(ctx context.Context) ([]knowledge.Job, error) {
	jobs, err := queryJobs(ctx, db.reader, selectJobs+` WHERE state = 'running' ORDER BY id`)
	return jobs, wrap(err, "list running jobs")
}

// Unannounced lists the ended jobs whose outcome has not arrived where it was asked
// for, oldest first.
func (db *DB) Unannounced(ctx context.Context) ([]knowledge.Job, error) {
	jobs, err := queryJobs(ctx, db.reader, selectJobs+` WHERE state <> 'running' AND announced = 0 AND reply_to <> '' ORDER BY id`)
	return jobs, wrap(err, "list unannounced jobs")
}

// MarkAnnounced records that a job's outcome has arrived.
func (db *DB) MarkAnnounced(ctx context.Context, id int64) error {
	err := db.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET announced = 1 WHERE id = ?`, id)
		return err
	})
	return wrap(err, "mark job %d announced", id)
}

func orNow(t time.Time) time.Time {
	if t.IsZero() {
		t = time.Now()
	}
	return fromMillis(millis(t))
}
