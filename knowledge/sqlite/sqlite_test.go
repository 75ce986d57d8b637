package sqlite_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"footnote/knowledge/sqlite"
	"footnote/knowledge/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, limits storetest.Limits) storetest.Store {
		return open(t, sqlite.Options{
			MaxLibraries: limits.MaxLibraries, MaxPages: limits.MaxPages, MaxRunning: limits.MaxRunning, Quota: limits.Quota,
		})
	})
}

// open opens a store, in a folder of its own when o names no path, and closes it when
// the test ends.
func open(t testing.TB, o sqlite.Options) *sqlite.DB {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "knowledge.db")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	db, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
