package scheduler_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the zones below, also on a machine without them

	"footnote/scheduler"

	"github.com/google/go-cmp/cmp"
)

func newScheduler(t *testing.T, zone string) *scheduler.Scheduler {
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return scheduler.New(location, slog.New(slog.NewTextHandler(t.Output(), nil)))
}

// run runs s for some virtual time and waits for its end.
func run(t *testing.T, s *scheduler.Scheduler, d time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := s.Run(ctx); err != nil {
		t.Error(err)
	}
}

// A bubble of synctest begins at midnight UTC of 1 January 2000.
func TestNightlyAcrossClockChanges(t *testing.T) {
	cases := []struct {
		name, zone, spec string
		from             time.Time
		nights           int
		want             []string
	}{
		{
			"forward over the hour", "Europe/Berlin", "0 2 * * *", time.Date(2000, 3, 24, 12, 0, 0, 0, time.UTC), 4,
			[]string{"25 02:00 CET", "26 03:00 CEST", "27 02:00 CEST", "28 02:00 CEST"},
		},
		{
			"back over the hour", "Europe/Berlin", "0 2 * * *", time.Date(2000, 10, 27, 12, 0, 0, 0, time.UTC), 4,
			[]string{"28 02:00 CEST", "29 02:00 CET", "30 02:00 CET", "31 02:00 CET"},
		},
		{
			"forward elsewhere in the night", "Europe/Berlin", "30 3 * * *", time.Date(2000, 3, 24, 12, 0, 0, 0, time.UTC), 3,
			[]string{"25 03:30 CET", "26 03:30 CEST", "27 03:30 CEST"},
		},
		{
			"no change of clocks", "UTC", "0 2 * * *", time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC), 2,
			[]string{"02 02:00 UTC", "03 02:00 UTC"},
		},
		{
			"several times a night, forward", "Europe/Berlin", "*/30 1-3 * * *", time.Date(2000, 3, 25, 22, 0, 0, 0, time.UTC), 1,
			[]string{"26 01:00 CET", "26 01:30 CET", "26 03:00 CEST", "26 03:30 CEST"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(c.from))
				s := newScheduler(t, c.zone)
				location, _ := time.LoadLocation(c.zone)
				var got []string
				err := s.Add("nightly", c.spec, func(context.Context) error {
					got = append(got, time.Now().In(location).Format("02 15:04 MST"))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				run(t, s, time.Duration(c.nights)*24*time.Hour)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error("runs (-want +got):\n" + diff)
				}
			})
		})
	}
}

// Work that lasts over its next time is not begun twice; other work is not held up.
func TestSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, "UTC")
		var mu sync.Mutex
		var now, most, slow, quick int
		add := func(name, spec string, f func(context.Context) error) {
			if err := s.Add(name, spec, f); err != nil {
				t.Fatal(err)
			}
		}
		add("slow", "@every 1m", func(context.Context) error {
			mu.Lock()
			now++
			slow++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(150 * time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return nil
		})
		add("quick", "@every 1m", func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			quick++
			return nil
		})
		run(t, s, 10*time.Minute+time.Second)
		if most != 1 || slow != 4 || quick != 10 {
			t.Errorf("slow ran %d times, %d at once; quick %d times", slow, most, quick)
		}
	})
}

// Neither an error nor a panic keeps the next time from coming.
func TestFaults(t *testing.T) {
	for name, fault := range map[string]func() error{
		"error": func() error { return errors.New("disk full") },
		"panic": func() error { panic("index out of range") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScheduler(t, "UTC")
				runs := 0
				if err := s.Add("work", "@every 1m", func(context.Context) error { runs++; return fault() }); err != nil {
					t.Fatal(err)
				}
				run(t, s, 3*time.Minute+time.Second)
				if runs != 3 {
					t.Errorf("ran %d times, want 3", runs)
				}
			})
		})
	}
}

// The end is waited for, and the work is told of it.
func TestRunWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, "UTC")
		ended := false
		err := s.Add("work", "@every 1m", func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(5 * time.Second)
			ended = true
			return ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		run(t, s, 90*time.Second)
		if took := time.Since(began); !ended || took != 95*time.Second {
			t.Errorf("returned after %s, the work ended: %v", took, ended)
		}
	})
}

func TestAddRefuses(t *testing.T) {
	s := newScheduler(t, "UTC")
	for _, spec := range []string{"", "every night", "0 25 * * *", "0 2 * *"} {
		err := s.Add("nightly.schedule", spec, func(context.Context) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "nightly.schedule") {
			t.Errorf("spec %q: %v, want an error that names the key", spec, err)
		}
	}
}

// A date that never comes is no reason to spin.
func TestNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, "Europe/Berlin")
		if err := s.Add("work", "0 2 30 2 *", func(context.Context) error { t.Error("ran"); return nil }); err != nil {
			t.Fatal(err)
		}
		run(t, s, 1000*time.Hour)
	})
}
