// Package gateway is the vocabulary of chat (Message, Reply, Responder, Handler,
// Adapter) and the loop that serves those words, as net/http is both Request and
// Server. It knows no platform, no command and no library: adapters translate an
// outside service into these types, and a Handler answers them.
//
// Kind: words (plus the dispatch loop of its own words). Imports nothing in-repo.
package gateway

import (
	"context"
	"time"
)

// Platform names one outside service: "console", "slack", "discord", "telegram".
type Platform string

// The platform's own identifiers: only adapters build and parse them; everybody else
// compares them and passes them on.
type (
	// UserID is a person's.
	UserID string
	// ChatID is a channel's, a group's or a direct conversation's.
	ChatID string
	// MessageID is a message's within its chat.
	MessageID string
)

// Address says where a reply goes. It is opaque: the adapter that made it is the
// only one that reads it, and it survives a restart as a plain string. It begins
// with the platform's name and a colon, so that Gateway.Announce finds the adapter.
type Address string

// User is who wrote a message. Admin is decided by the gateway from configuration,
// never by an adapter.
type User struct {
	ID    UserID
	Name  string
	Roles []string
	Admin bool
}

// File is an upload that came with a message; its bytes stay with the platform.
type File struct {
	Name string
	URL  string
	Type string
	Size int64
}

// Message is one thing a person said. Text is as the platform delivered it, less
// the platform's own markup of links and mentions.
type Message struct {
	Platform  Platform
	Workspace string
	Chat      ChatID
	Thread    string
	ID        MessageID
	EventID   string // the delivery's own id; a redelivery carries the same one
	ReplyTo   Address
	User      User
	Text      string
	Links     []string
	Files     []File

	// Invocation is set by adapters whose platform delivers commands already
	// split; text platforms leave it nil and ParseInvocation reads Text.
	Invocation *Invocation

	Addressed bool // the bot was meant: a direct message, a mention, a slash command
	Edited    bool
	Forwarded bool
	FromBot   bool
	At        time.Time
}

// Conversation is the key of the lane that keeps messages in order: platform,
// workspace, chat and thread.
func (m Message) Conversation() string {
	return string(m.Platform) + "/" + m.Workspace + "/" + string(m.Chat) + "/" + m.Thread
}

// Actor is the person's key across restarts, "slack:T1/U1" where a workspace is
// named and "telegram:7" elsewhere: the form that the configuration's admins use.
func (m Message) Actor() string {
	if m.Workspace != "" {
		return string(m.Platform) + ":" + m.Workspace + "/" + string(m.User.ID)
	}
	return string(m.Platform) + ":" + string(m.User.ID)
}

// Invocation is a command split into words, like os.Args without the program:
// Name is the command ("kb"), Args what follows it. Options are the --name value
// pairs, with "true" for a bare flag.
type Invocation struct {
	Name    string
	Args    []string
	Options map[string]string
	// Rest is what the person typed after the subcommand (Args[0]) with its
	// spacing kept and options removed: a question is read from here.
	Rest string
}

// Reply is a portable answer. Text is CommonMark; adapters render it, nobody else
// knows a dialect. Everything but Text is optional.
type Reply struct {
	Text     string
	Hits     []Hit
	Sources  []Source
	Fields   []Field
	Progress *Progress
	Buttons  []Button

	// Confirm is the single-use code that answers the question this reply asks.
	Confirm string
	// Code is the stable code of a refusal ("not_found"), empty otherwise.
	Code string
	// Ephemeral asks that only the asker sees the reply, where the platform can.
	Ephemeral bool
}

// Hit is one search result, ready to show. Snippet is CommonMark with the matched
// words bold, at most 300 characters. Grade is "best", "good" or "possible".
// Evidence is in [0,1] and is for machines: people are never shown raw scores.
type Hit struct {
	Library  string
	Title    string
	Section  string // breadcrumb, "Messages > Send Text Message"
	URL      string // opens at the section
	Snippet  string
	Grade    string
	Evidence float64
	Age      string // "3 days"
}

// Source is one citation of an answer.
type Source struct {
	Library string
	Title   string
	Section string
	URL     string
	Age     string
}

// Field is a labelled value, shown as a table row or an aligned line.
type Field struct {
	Name  string
	Value string
}

// Progress is how far a long piece of work has come. Total is 0 while unknown.
type Progress struct {
	Done  int
	Total int
	Unit  string // "pages"
}

// Button is a reply that a person gives by pressing. Command is what pressing
// means, spelled as if typed ("/kb confirm 7f3a91").
type Button struct {
	Label   string
	Command string
	Danger  bool
}

// Handler answers messages. An expected outcome (no hits, bad usage, no permission)
// is a Reply; an error is a fault, logged once by the gateway with an id, and the
// person sees only that id. Handle returns when the message has been answered; work
// that outlives it reports through the Responder and ends with an announcement.
type Handler interface {
	Handle(ctx context.Context, m Message, r Responder) error
}

// HandlerFunc makes a function a Handler.
type HandlerFunc func(ctx context.Context, m Message, r Responder) error

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, m Message, r Responder) error { return f(ctx, m, r) }

// Responder answers one message. It is safe for concurrent use and stays usable
// after Handle has returned, for the progress of work begun there.
type Responder interface {
	// Reply sends a new message.
	Reply(ctx context.Context, r Reply) error
	// Update replaces the message last sent with a Progress, in place; the latest
	// wins and some may be skipped. Without such a message it sends a new one.
	Update(ctx context.Context, r Reply) error
	// Typing shows that an answer is being made, where the platform can.
	Typing(ctx context.Context) error
}

// Adapter connects one outside service.
type Adapter interface {
	Name() Platform
	Capabilities() Capabilities
	// Run connects, hands every message to h and blocks until ctx ends or the
	// connection is lost for good; it returns when its last goroutine has ended.
	// The gateway calls it again, after a pause, when it returns early with an error
	// that is not ErrFinal; nil means that the adapter has finished.
	// h queues the message and returns at once: the order of calls is the order of
	// work within a conversation. An error from h means that the message was refused
	// (lane full, rate limited) after the person was told.
	Run(ctx context.Context, h Handler) error
	// Send delivers an announcement to an address that this adapter made.
	Send(ctx context.Context, to Address, r Reply) error
}

// Capabilities are facts about a platform, as data.
type Capabilities struct {
	TextLimit    int    // longest message, in TextUnit; 0 is unlimited
	TextUnit     string // "bytes", "utf16" or "runes"
	Edit         bool
	Ephemeral    bool
	Buttons      bool
	Threads      bool
	Autocomplete bool
}
