// Package scheduler runs named work at the times of a cron line, each name one at a
// time. What the work is, whoever wires it says.
//
// Kind: doer (of time). Wraps robfig/cron.
package scheduler

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Scheduler runs work by the clock. Add everything, then Run it once.
type Scheduler struct {
	cron     *cron.Cron
	location *time.Location
	log      *slog.Logger
	work     []*work
}

// work is one named entry. Its slot holds a token while it runs.
type work struct {
	name     string
	schedule cron.Schedule
	run      func(ctx context.Context) error
	slot     chan struct{}
}

// New makes a Scheduler whose cron lines are read in location.
func New(location *time.Location, log *slog.Logger) *Scheduler {
	return &Scheduler{
		cron:     cron.New(cron.WithLocation(location), cron.WithLogger(cron.DiscardLogger)),
		location: location,
		log:      log,
	}
}

// Add has run called at the times of spec: five cron fields, or a word such as
// "@every 15m". A spec that cannot be read is an error that names the entry. While a run
// lasts, further times of the same entry are left out. An error or a panic of run is
// logged, and the next time comes all the same. Work at a fixed hour runs once a day also
// where the clock is put forward or back over that hour.
func (s *Scheduler) Add(name, spec string, run func(ctx context.Context) error) error {
	schedule, err := cron.ParseStandard(spec)
	if err != nil {
		return fmt.Errorf("schedule %s: %q: %w", name, spec, err)
	}
	if fields := strings.Fields(spec); len(fields) == 5 && !strings.Contains(fields[0]+fields[1], "*") {
		schedule = wallClock{schedule, s.location}
	}
	s.work = append(s.work, &work{name: name, schedule: schedule, run: run, slot: make(chan struct{}, 1)})
	return nil
}

// Run runs what was added until ctx ends, and returns when the last run has ended. The
// runs are given a context that ends with ctx.
func (s *Scheduler) Run(ctx context.Context) error {
	for _, w := range s.work {
		s.cron.Schedule(w.schedule, cron.FuncJob(func() { s.once(ctx, w) }))
	}
	s.cron.Start()
	<-ctx.Done()
	<-s.cron.Stop().Done()
	return nil
}

// once runs w unless it is running already.
func (s *Scheduler) once(ctx context.Context, w *work) {
	select {
	case w.slot <- struct{}{}:
	default:
		s.log.WarnContext(ctx, "scheduled work still running, this time left out", "work", w.name)
		return
	}
	defer func() { <-w.slot }()
	defer func() {
		if p := recover(); p != nil {
			s.log.ErrorContext(ctx, "scheduled work panicked", "work", w.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	began := time.Now()
	if err := w.run(ctx); err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "scheduled work failed", "work", w.name, "error", err)
		return
	}
	s.log.InfoContext(ctx, "scheduled work done", "work", w.name, "took", time.Since(began).Round(time.Millisecond))
}

// wallClock reads a schedule off the clock on the wall. Where that leaves an hour out,
// its times come at the same distance in time; where it shows an hour twice, they come
// once. By itself cron would leave the night out, or run it twice.
type wallClock struct {
	schedule cron.Schedule
	location *time.Location
}

// Next gives the first time after t.
func (w wallClock) Next(t time.Time) time.Time {
	wall := read(t.In(w.location), time.UTC)
	for {
		if wall = w.schedule.Next(wall); wall.IsZero() {
			return wall // a date that never comes
		}
		if next := read(wall, w.location); next.After(t) {
			return next
		}
	}
}

// read takes t's date and clock to mean a time of another location.
func read(t time.Time, location *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, location)
}
