package main

import (
	"io"
	"log/slog"

	"footnote/config"
)

// newHandler writes the log as configured. Message text and secrets never enter it.
func newHandler(cfg config.Config, w io.Writer) slog.Handler {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		level = slog.LevelInfo // the configuration's bound lets nothing else through
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.Log.JSON {
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}
