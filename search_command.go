package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"footnote/adapters/console"
	"footnote/adapters/render"
	kb "footnote/commands"
	"footnote/gateway"
	"footnote/knowledge/search"
)

func searchCommand() command {
	return command{
		name: "search", usage: "<library or *> <query> [--limit N] [--json]", short: "search the libraries once and print what is found",
		long: `
The hits come best first, each with its section's link; when nothing answers, it says
so. A shell wants the * quoted: footnote search "*" vacuum. Words that begin with - go
after --: footnote search git -- --no-verify. --json prints one line in the form of
"footnote chat --json". Works beside a running gateway.`,
		flags: func(f *pflag.FlagSet) {
			f.Bool("json", false, "one JSON object")
			f.Int("limit", 0, "hits, at most 50 (default 8)")
		},
		run: runSearch,
	}
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
	db, err := openStore(ctx, cfg, newLogger(cfg, c.stderr))
	if err != nil {
		return err
	}
	defer db.Close()
	// The conversation's own command, without a conversation.
	m := gateway.Message{Platform: gateway.Console, Invocation: &gateway.Invocation{Name: gateway.CommandWord, Args: append([]string{"search"}, c.args...)}}
	if c.flags.Changed("limit") {
		m.Invocation.Options = map[string]string{"limit": strconv.Itoa(limit)}
	}
	out := &printer{console.New(console.Options{Out: c.stdout, JSON: asJSON, Color: isTerminal(c), Width: func() int { return columns(c) }}), asJSON, gateway.Reply{}}
	if err := kb.New(kb.Options{Store: db, Search: search.New(db)}).Handle(ctx, m, out); err != nil {
		return err
	}
	if out.refused.Code != "" {
		// What a conversation would type, a shell types otherwise.
		return errors.New(strings.ReplaceAll(render.Plain(out.refused.Text, 0), "/kb search * ", `footnote search "*" `))
	}
	return nil
}

// printer answers a command that came from the command line. A refusal is the command's
// error; as a reply it is written for programs only.
type printer struct {
	out     *console.Adapter
	json    bool
	refused gateway.Reply
}

func (p *printer) Reply(ctx context.Context, r gateway.Reply) error {
	if r.Code != "" {
		p.refused = r
		if !p.json {
			return nil
		}
	}
	return p.out.Send(ctx, gateway.Address(gateway.Console)+":", r)
}

func (p *printer) Update(ctx context.Context, r gateway.Reply) error { return p.Reply(ctx, r) }
func (p *printer) Typing(context.Context) error                      { return nil }
