package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	kb "footnote/commands"
	"footnote/config"
	"footnote/gateway"
	"footnote/inject"
	"footnote/knowledge"
	"footnote/knowledge/crawl"
	"footnote/knowledge/fetch"
	"footnote/knowledge/index"
	"footnote/knowledge/jobs"
	"footnote/knowledge/search"
	"footnote/knowledge/sqlite"
	"footnote/scheduler"
)

// app is the program, connected: store -> index -> search -> inject -> commands ->
// gateway. Only adapters are missing.
type app struct {
	cfg    config.Config
	log    *slog.Logger
	db     *sqlite.DB
	runner *jobs.Runner
	router *kb.Router
	timer  *scheduler.Scheduler
	gate   *gateway.Gateway // set by serve, before anything runs
}

func openStore(ctx context.Context, cfg config.Config, log *slog.Logger) (*sqlite.DB, error) {
	db, err := sqlite.Open(ctx, sqlite.Options{
		Path:         filepath.Join(cfg.DataDir, "knowledge.db"),
		Quota:        cfg.Store.Quota,
		MaxLibraries: cfg.Store.MaxLibraries,
		MaxPages:     cfg.Store.MaxPages,
		MaxRunning:   cfg.Crawl.MaxRunning,
		Log:          log,
	})
	if err != nil {
		return nil, dataFolder(cfg, err)
	}
	return db, nil
}

// dataFolder says of an error of the data folder which one that is, and what sets it.
func dataFolder(cfg config.Config, err error) error {
	return fmt.Errorf("data folder %s (FOOTNOTE_DATA_DIR or data_dir names another): %w", cfg.DataDir, err)
}

// connect builds everything behind the adapters. Close the store when it has run.
func connect(ctx context.Context, cfg config.Config, log *slog.Logger) (*app, error) {
	db, err := openStore(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	a := &app{cfg: cfg, log: log, db: db}
	if err := a.wire(ctx); err != nil {
		_ = db.Close() // the first error is the one to show
		return nil, err
	}
	return a, nil
}

func (a *app) wire(ctx context.Context) error {
	owner, err := a.owner(ctx)
	if err != nil {
		return err
	}
	cfg := a.cfg
	client := fetch.New(fetch.Options{
		AllowPrivate: cfg.Crawl.AllowPrivate,
		Version:      version,
		Contact:      cfg.Crawl.Contact,
		MaxBody:      cfg.Crawl.MaxBody,
		Timeout:      cfg.Crawl.Timeout,
	})
	a.runner = jobs.New(jobs.Options{
		Store:     a.db,
		Crawler:   crawl.New(crawl.Options{Client: client, Workers: cfg.Crawl.Workers, Log: a.log}),
		Publisher: index.New(a.db),
		Owner:     owner,
		Alive:     processAlive,
		Defaults: jobs.Defaults{
			MaxPages:     cfg.Crawl.MaxPages,
			PageCap:      cfg.Crawl.PageCap,
			MaxDepth:     cfg.Crawl.MaxDepth,
			Delay:        cfg.Crawl.Delay,
			Scope:        knowledge.Scope(cfg.Crawl.Scope),
			IgnoreRobots: !cfg.Crawl.Robots,
		},
		Announce: a.announce,
		Log:      a.log,
	})
	searcher := search.New(a.db)
	a.router = kb.New(kb.Options{
		Store:     a.db,
		Jobs:      a.runner,
		Search:    searcher,
		Questions: inject.New(inject.Options{Search: searcher, Store: a.db, Log: a.log}),
		Log:       a.log,
	})
	return a.schedule()
}

// owner names this process in the journal. The install's id is made once, kept in the
// store.
func (a *app) owner(ctx context.Context) (knowledge.Owner, error) {
	const key = "install_id"
	install, err := a.db.Setting(ctx, key)
	if err != nil {
		return knowledge.Owner{}, err
	}
	if install == "" {
		install = newInstallID()
		if err := a.db.SetSetting(ctx, key, install); err != nil {
			return knowledge.Owner{}, err
		}
	}
	host, err := os.Hostname()
	if err != nil {
		return knowledge.Owner{}, fmt.Errorf("name this host: %w", err)
	}
	return knowledge.Owner{Install: install, Host: host, Process: processName(os.Getpid())}, nil
}

func (a *app) schedule() error {
	zone := time.Local
	if a.cfg.Nightly.Timezone != "" {
		z, err := time.LoadLocation(a.cfg.Nightly.Timezone)
		if err != nil {
			return fmt.Errorf("nightly.timezone: %w", err)
		}
		zone = z
	}
	a.timer = scheduler.New(zone, a.log)
	if err := a.timer.Add("nightly", a.cfg.Nightly.Schedule, a.runner.RefreshNightly); err != nil {
		return err
	}
	return a.timer.Add("maintenance", a.cfg.Nightly.Maintenance, func(ctx context.Context) error {
		return a.db.Maintain(ctx, time.Now())
	})
}

// announce tells a job's outcome where it was asked for.
func (a *app) announce(ctx context.Context, job knowledge.Job) error {
	if job.ReplyTo == "" {
		return nil
	}
	return a.gate.Announce(ctx, gateway.Address(job.ReplyTo), kb.Outcome(job))
}

// serve runs the adapters, the jobs and the scheduler until ctx ends or, when every
// adapter has finished by itself, until then. The store is closed last.
func (a *app) serve(ctx context.Context, adapters ...gateway.Adapter) (err error) {
	defer func() { err = errors.Join(err, a.db.Close()) }()
	a.gate = gateway.New(gateway.Options{
		Adapters:      adapters,
		Handler:       a.router,
		Log:           a.log,
		Dedupe:        a.db,
		Admins:        a.cfg.Admins,
		RatePerMinute: a.cfg.Gateway.RatePerMinute,
		LaneDepth:     a.cfg.Gateway.LaneDepth,
		Timeout:       a.cfg.Gateway.Timeout,
		Drain:         a.cfg.Gateway.Drain,
	})
	if err := a.runner.Recover(ctx); err != nil {
		return err
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.runner.Run(ctx) })
	group.Go(func() error { return a.timer.Run(ctx) })
	group.Go(func() error {
		if len(adapters) > 0 {
			defer done()
			return a.gate.Run(ctx)
		}
		<-ctx.Done()
		return nil
	})
	return group.Wait()
}
