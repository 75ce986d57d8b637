package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"footnote/config"
)

func configCommand() command {
	return command{
		name: "config", short: "print the effective configuration, secrets redacted",
		long: `What it prints is a footnote.yaml: each key with its meaning, unit, bound and variable.`,
		run: func(_ context.Context, c call) error {
			cfg, err := loadConfig(c)
			if err != nil {
				return err
			}
			return cfg.Print(c.stdout)
		},
	}
}

// loadConfig reads footnote.yaml, where there is one, and the environment. Warnings go
// to stderr.
func loadConfig(c call) (config.Config, error) {
	name, named := os.LookupEnv("FOOTNOTE_CONFIG")
	if !named || name == "" {
		name, named = "footnote.yaml", false
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !named {
		text, err = nil, nil
	}
	if err != nil {
		return config.Config{}, fmt.Errorf("read configuration: %w", err)
	}
	cfg, warnings, err := config.Load(config.Source{File: name, YAML: text, Environ: os.Environ()})
	for _, w := range warnings {
		if _, e := fmt.Fprintln(c.stderr, "footnote: warning:", w); e != nil {
			return cfg, e
		}
	}
	return cfg, err
}
