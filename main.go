// Command footnote is a chat gateway that answers from a team's documentation, with
// citations. The root package is the wiring room: it constructs, connects, runs and
// stops what the other packages are, one small file for each command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/pflag"
)

// version is set by the linker, which reaches nothing but a package variable.
var version = "dev"

// command is one word after "footnote".
type command struct {
	name  string
	usage string // after the name
	short string // one line for the list
	long  string // what `footnote help NAME` adds
	flags func(*pflag.FlagSet)
	run   func(ctx context.Context, c call) error
}

// call is what a command is run with.
type call struct {
	args           []string
	flags          *pflag.FlagSet
	stdin          *os.File
	stdout, stderr io.Writer
}

func commands() []command {
	return []command{serveCommand(), chatCommand(), searchCommand(), configCommand(), versionCommand()}
}

func main() {
	// A closed pipe shall be a write error that ends the run in order, not its death.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := untilSignal()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// untilSignal gives a context that the first SIGINT or SIGTERM ends; a second one
// ends the process at once.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(130)
	}()
	return ctx, cancel
}

// usageError is a command line that cannot be understood: exit status 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// run is main without the process: it gives the exit status, 0 for success, 1 for a
// failure that was explained on stderr, 2 for a wrong command line.
func run(ctx context.Context, args []string, stdin *os.File, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdin, stdout, stderr)
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return 0
	}
	_, _ = fmt.Fprintln(stderr, "footnote:", err) // the last word: there is nobody left to tell
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}

func dispatch(ctx context.Context, args []string, stdin *os.File, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return help(stdout, nil)
	}
	switch args[0] {
	case "help", "-h", "--help":
		return help(stdout, args[1:])
	case "-v", "--version":
		args[0] = "version"
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		flags.SetOutput(io.Discard)
		if c.flags != nil {
			c.flags(flags)
		}
		if err := flags.Parse(args[1:]); errors.Is(err, pflag.ErrHelp) {
			return help(stdout, []string{c.name})
		} else if err != nil {
			return usageError{fmt.Sprintf("%v; words that begin with - go behind --\nTry: footnote help %s", err, c.name)}
		}
		if c.usage == "" || strings.HasPrefix(c.usage, "[") { // it has flags at most
			if extra := flags.Args(); len(extra) > 0 {
				return usageError{fmt.Sprintf("%s takes flags at most, and got %q\nTry: footnote help %s", c.name, extra[0], c.name)}
			}
		}
		return c.run(ctx, call{args: flags.Args(), flags: flags, stdin: stdin, stdout: stdout, stderr: stderr})
	}
	return usageError{unknown(args[0])}
}

func unknown(name string) string {
	best, dist := "", 3
	for _, c := range commands() {
		if d := levenshtein.ComputeDistance(name, c.name); d < dist {
			best, dist = c.name, d
		}
	}
	if best != "" {
		return fmt.Sprintf("there is no command %q; did you mean: footnote %s", name, best)
	}
	return fmt.Sprintf("there is no command %q; footnote help lists them", name)
}

func help(w io.Writer, args []string) error {
	if len(args) > 0 && args[0] != "help" {
		for _, c := range commands() {
			if c.name == args[0] {
				return helpOne(w, c)
			}
		}
		return usageError{unknown(args[0])}
	}
	var b strings.Builder
	b.WriteString(`footnote answers from your documentation, with citations.

Usage:
  footnote <command> [flags]

Commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.short)
	}
	b.WriteString(`  help      this text, or footnote help <command>

A first conversation:
  $ footnote chat
  > /kb crawl pg https://www.postgresql.org/docs/current/
  > /kb search pg create index concurrently
  > how do I limit the number of connections?

Settings come from footnote.yaml (or the file that FOOTNOTE_CONFIG names) and from
FOOTNOTE_... variables, which win; "footnote config" prints them all with their bounds.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

func helpOne(w io.Writer, c command) error {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	text := fmt.Sprintf("%s.\n\nUsage:\n  footnote %s\n", strings.ToUpper(c.short[:1])+c.short[1:], strings.TrimSpace(c.name+" "+c.usage))
	if c.long != "" {
		text += "\n" + strings.TrimSpace(c.long) + "\n"
	}
	if c.flags != nil {
		c.flags(flags)
		text += "\nFlags:\n" + strings.ReplaceAll(flags.FlagUsages(), "[=true|false]", "             ")
	}
	_, err := io.WriteString(w, text)
	return err
}

func versionCommand() command {
	return command{name: "version", short: "print the version", run: func(_ context.Context, c call) error {
		_, err := fmt.Fprintln(c.stdout, "footnote", version)
		return err
	}}
}
