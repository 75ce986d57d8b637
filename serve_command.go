package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"footnote/adapters/console"
	kb "footnote/commands"
	"footnote/config"
	"footnote/gateway"
)

const banner = `**Footnote** answers from your documentation, with citations.

Crawl some: ` + "`/kb crawl pg https://www.postgresql.org/docs/current/`" + `, then search it: ` + "`/kb search pg vacuum`" + `, or just ask. ` + "`/kb help`" + ` lists every command; Ctrl-D ends.`

func serveCommand() command {
	return command{
		name: "serve", short: "start the gateway, with the terminal when standard input is one",
		long: `
Runs until SIGINT or SIGTERM (a second one ends it at once), or until the terminal's
conversation ends. The nightly refresh and the maintenance run meanwhile.`,
		run: func(ctx context.Context, c call) error {
			if term.IsTerminal(int(c.stdin.Fd())) {
				return converse(ctx, c, false)
			}
			cfg, err := loadConfig(c)
			if err != nil {
				return err
			}
			log := newLogger(cfg, c.stderr)
			a, err := connect(ctx, cfg, log)
			if err != nil {
				return err
			}
			log.InfoContext(ctx, "serving without a terminal: scheduler and jobs only", "data_dir", cfg.DataDir)
			return a.serve(ctx)
		},
	}
}

func chatCommand() command {
	return command{
		name: "chat", usage: "[--json]", short: "talk to it in this terminal, or from a script on standard input",
		long: `
Each line of input is one message. A crawl that a line starts is waited for before the
next line is read. In a script, empty lines and lines that begin with # are skipped.
With --json every outgoing message is one line:
  {"reply_to", "text", "hits": [{"library", "title", "section", "url", "snippet",
   "grade", "evidence", "age"}], "sources": [{"library", "title", "section", "url"}],
   "confirm", "code", "progress", "final"}
Empty fields are left out; reply_to is the number of the input line.`,
		flags: func(f *pflag.FlagSet) { f.Bool("json", false, "one JSON object a line") },
		run: func(ctx context.Context, c call) error {
			asJSON, err := c.flags.GetBool("json")
			if err != nil {
				return err
			}
			return converse(ctx, c, asJSON)
		},
	}
}

// converse serves the terminal alone.
func converse(ctx context.Context, c call, asJSON bool) error {
	cfg, err := loadConfig(c)
	if err != nil {
		return err
	}
	interactive := term.IsTerminal(int(c.stdin.Fd())) && !asJSON
	log, closeLog, err := terminalLogger(cfg, c, interactive)
	if err != nil {
		return err
	}
	defer closeLog()
	a, err := connect(ctx, cfg, log)
	if err != nil {
		return err
	}
	return a.serve(ctx, console.New(console.Options{
		In:          c.stdin,
		Out:         c.stdout,
		Interactive: interactive,
		JSON:        asJSON,
		Color:       isTerminal(c) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Width:       func() int { return columns(c) },
		HistoryFile: filepath.Join(cfg.DataDir, "history"),
		Subcommands: kb.Names(),
		Banner:      banner,
		Settle:      a.settle,
		Log:         log,
	}))
}

// settle waits until a message is answered and the jobs it began have ended; others go
// on, such as one that was left to the background, or the night's.
func (a *app) settle(ctx context.Context, m gateway.Message) error {
	if err := a.gate.Idle(ctx, m.Conversation()); err != nil {
		return err
	}
	return a.runner.Idle(ctx, string(m.ReplyTo))
}

func isTerminal(c call) bool {
	f, ok := c.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func columns(c call) int {
	if f, ok := c.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			return w
		}
	}
	return 0
}

// terminalLogger logs to a file beside the data while a person types, since a log line
// would tear the prompt, and to stderr otherwise.
func terminalLogger(cfg config.Config, c call, interactive bool) (*slog.Logger, func(), error) {
	if !interactive {
		if cfg.Log.Level == "auto" {
			cfg.Log.Level = "warn" // a script's reader wants the replies
		}
		return newLogger(cfg, c.stderr), func() {}, nil
	}
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, nil, dataFolder(cfg, err)
	}
	const most = 10 << 20
	name := filepath.Join(cfg.DataDir, "footnote.log")
	mode := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(name); err == nil && info.Size() > most {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, mode, 0o600)
	if err != nil {
		return nil, nil, dataFolder(cfg, err)
	}
	return newLogger(cfg, f), func() { _ = f.Close() }, nil
}
