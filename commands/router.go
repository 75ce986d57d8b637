// Package commands is the /kb table: what people may type, who may, and what it does.
// A message that is no command goes to the questions' handler; a command, listed or
// mistyped, never does. Replies are CommonMark, short, and refusals carry their code.
//
// Kind: decider. Jobs, store and search are small interfaces here; no model is called.
package commands

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
	"footnote/knowledge/search"
)

// Router answers commands and passes everything else on. It is a gateway.Handler.
type Router struct{ o Options }

// Options are a Router's parts. What no message will need may be nil: a search needs
// Store and Search alone.
type Options struct {
	Store  Store
	Jobs   Jobs
	Search Searcher
	// Questions answers what is not a command; a *knowledge.Error of it is a refusal.
	Questions gateway.Handler
	Log       *slog.Logger // nil discards
}

// Shelf is where libraries stand.
type Shelf interface {
	Library(ctx context.Context, id string) (knowledge.Library, error)
	Libraries(ctx context.Context) ([]knowledge.Library, error)
	UpdateLibrary(ctx context.Context, id string, change func(*knowledge.Library)) error
	DeleteLibrary(ctx context.Context, id string) error
}

// Attic is where the pages are that their sites no longer have, and how full the store is.
type Attic interface {
	GonePages(ctx context.Context, library string) ([]knowledge.Page, error)
	RemoveGone(ctx context.Context, library string) (int, error)
	Usage(ctx context.Context) (used, quota int64, err error)
}

// Journal is what is known of jobs.
type Journal interface {
	LatestJob(ctx context.Context, library string) (knowledge.Job, error)
	RunningJobs(ctx context.Context) ([]knowledge.Job, error)
	Failures(ctx context.Context, id int64, limit int) (list []knowledge.Failure, byCode map[knowledge.Code]int, err error)
}

// Notes is small state: what was asked before an act, answers given, and switches.
type Notes interface {
	SaveConfirmation(ctx context.Context, code, actor, conversation, action string, expires time.Time) error
	TakeConfirmation(ctx context.Context, code, actor, conversation string, now time.Time) (action string, ok bool, err error)
	LatestTurn(ctx context.Context, conversation string) (knowledge.Turn, error)
	SetSetting(ctx context.Context, key, value string) error
}

// Store is everything that the commands ask of the store.
type Store interface {
	Shelf
	Attic
	Journal
	Notes
}

// Crawls begins work that is announced when it ends.
type Crawls interface {
	Start(ctx context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error)
	Refresh(ctx context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error)
	Resume(ctx context.Context, req knowledge.CrawlRequest) (knowledge.CrawlStarted, error)
}

// Jobs is everything that the commands ask of the job runner.
type Jobs interface {
	Crawls
	Add(ctx context.Context, req knowledge.CrawlRequest) (knowledge.PageAdded, error)
	Cancel(ctx context.Context, library string) (knowledge.Job, error)
}

// Searcher finds passages.
type Searcher interface {
	Search(ctx context.Context, q knowledge.Query) (search.Result, error)
}

// New makes a Router.
func New(o Options) *Router {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Router{o: o}
}

// call is one command on its way: the words after the command's name, and who sent them.
type call struct {
	gateway.Message
	cmd     command
	args    []string
	options map[string]string
	rest    string
	respond gateway.Responder
	// sent is closed once the command's own reply is out, so that the progress of work
	// begun by it cannot overtake it.
	sent <-chan struct{}
}

// Handle answers m when it carries an invocation, and passes it on as a question when it
// carries none. A refusal of either is shown to who asked.
func (r *Router) Handle(ctx context.Context, m gateway.Message, respond gateway.Responder) error {
	inv := m.Invocation
	if inv == nil {
		switch name := otherwise(m.Text); name {
		case "":
		case "help":
			inv = &gateway.Invocation{Name: gateway.CommandWord, Args: []string{name}}
		default:
			return respond.Reply(ctx, gateway.Reply{
				Text: fmt.Sprintf("Commands begin with `/kb`. Did you mean `/kb %s`?", name),
				Code: string(knowledge.InvalidRequest), Ephemeral: true,
			})
		}
	}
	sent := make(chan struct{})
	defer close(sent)
	var reply gateway.Reply
	var err error
	if inv != nil {
		reply, err = r.dispatch(ctx, call{Message: m, options: inv.Options, rest: inv.Rest, respond: respond, sent: sent}, inv.Args)
	} else {
		err = r.o.Questions.Handle(ctx, m, respond)
	}
	if err != nil {
		e, refused := errors.AsType[*knowledge.Error](err)
		if !refused {
			return err
		}
		// The reason may repeat what was typed, which stays out of the log.
		r.o.Log.InfoContext(ctx, "message refused", "code", e.Code, "actor", m.Actor())
		reply = refusal(e)
	}
	if reply.Text == "" {
		return nil // answered by the questions' handler
	}
	return respond.Reply(ctx, reply)
}

// dispatch finds the command that args name and runs it for who may.
func (r *Router) dispatch(ctx context.Context, c call, args []string) (gateway.Reply, error) {
	if len(args) == 0 {
		return r.home(ctx, c)
	}
	name := strings.ToLower(args[0])
	cmd, ok := lookup(name)
	if !ok {
		return unknown(name, c.User.Admin), nil
	}
	if cmd.admin && !c.User.Admin {
		return gateway.Reply{}, knowledge.Refuse(knowledge.NotAdmin,
			"`/kb %s` is for admins. `/kb help` lists what you can do.", cmd.name)
	}
	c.cmd, c.args = cmd, args[1:]
	if len(c.args) < cmd.min || cmd.max >= 0 && len(c.args) > cmd.max {
		return gateway.Reply{}, cmd.misused("")
	}
	return cmd.run(r, ctx, c)
}

// refusal shows a refusal to who asked.
func refusal(e *knowledge.Error) gateway.Reply {
	return gateway.Reply{Text: sentence(reason(e.Reason)), Code: string(e.Code), Ephemeral: true}
}

// library finds the library that was typed, archived ones included.
func (r *Router) library(ctx context.Context, typed string) (knowledge.Library, error) {
	id, err := knowledge.LibraryID(typed)
	if err != nil {
		return knowledge.Library{}, err
	}
	return r.o.Store.Library(ctx, id)
}

// newCode makes the code of a confirmation: six hex digits that nobody guesses within
// the five minutes it lives and the one person it is bound to.
func newCode() string {
	const digits = "0123456789abcdef"
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	for i := range b {
		b[i] = digits[b[i]&15]
	}
	return string(b[:])
}
