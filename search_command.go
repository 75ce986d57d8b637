package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"footnote/adapters/console"
	kb "footnote/commands"
	"footnote/gateway"
	"footnote/knowledge/search"
)

func searchCommand() command {
	return command{name: "search", usage: "<library or *> <query> [--limit N] [--json]", short: "search the libraries once and print what is found",
		long: `
The hits come best first, each with its section's link; nothing is printed as found
when nothing answers. --json prints one line in the form of "footnote chat --json".
Works beside a running gateway.`,
		flags: func(f *pflag.FlagSet) {
			f.Bool("json", false, "one JSON object")
			f.Int("limit", 0, "hits, at most 50 (default 8)")
		},
		run: runSearch}
}

func runSearch(ctx context.Context, c call) error {
	if len(c.args) < 2 {
		return usageError{"search needs a library (or *) and a query\nTry: footnote help search"}
	}
	asJSON, err := c.flags.GetBool("json")
	if err != nil {
		return err
	}
	limit, err := c.flags.GetInt("limit")
	if err != nil {
		return err
	}
	cfg, err := loadConfig(c)
	if err != nil {
		return err
	}
	db, err := openStore(ctx, cfg, slog.New(newHandler(cfg, c.stderr)))
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := kb.Search(ctx, db, search.New(db), kb.SearchRequest{Library: c.args[0], Query: strings.Join(c.args[1:], " "), Limit: limit})
	if err != nil {
		return err
	}
	out := console.New(console.Options{Out: c.stdout, JSON: asJSON, Color: isTerminal(c), Width: func() int { return columns(c) }})
	return out.Send(ctx, gateway.Address(gateway.Console)+":", r)
}
