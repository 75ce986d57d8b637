package gateway

import (
	"context"
	"strings"
	"time"
)

// receive takes one message on its way: decide, dedupe, authorise, limit, lane. It
// returns as soon as the message waits in its lane.
func (g *Gateway) receive(ctx, work context.Context, m Message, r Responder) error {
	if !decide(g.o.Grammar, &m) || g.duplicate(ctx, m) {
		return nil
	}
	m.User.Admin = g.isAdmin(m)
	if m.Platform != Console {
		switch g.people.allow(m.Actor(), time.Now()) {
		case limitedFirst:
			tell(ctx, r, Reply{
				Text:      "That is more than I can answer in a minute. Wait a moment, then send it again.",
				Code:      "rate_limited",
				Ephemeral: true,
			})
			return ErrRefused
		case limitedAgain:
			return ErrRefused
		}
	}
	if refusal := g.enqueue(work, job{ctx: ctx, m: m, r: r}); refusal != "" {
		tell(ctx, r, Reply{Text: refusal, Code: "resource_limit", Ephemeral: true})
		return ErrRefused
	}
	return nil
}

// decide says whether m is for the bot, and fills its invocation. Edits, other bots,
// forwarded commands and commands for other bots are not; a forwarded question is.
func decide(g Grammar, m *Message) bool {
	if m.FromBot || m.Edited {
		return false
	}
	if m.Invocation == nil {
		inv, how := g.read(m.Text)
		switch {
		case how == spelledOther:
			return false
		case how == spelledSlash, how == spelledMention && m.Addressed:
			m.Invocation = &inv
		}
	}
	if m.Invocation != nil {
		m.Addressed = true
		return !m.Forwarded
	}
	return m.Addressed && (strings.TrimFunc(m.Text, isSpace) != "" || len(m.Files) > 0)
}

// duplicate reports whether m was delivered before, by the delivery's id or by the
// message's: one post may arrive as two events. When the record cannot be read the
// message is taken: answering twice is better than not at all.
func (g *Gateway) duplicate(ctx context.Context, m Message) bool {
	if g.o.Dedupe == nil {
		return false
	}
	place := string(m.Platform) + "/" + m.Workspace + "/"
	var keys []string
	if m.EventID != "" {
		keys = append(keys, "event:"+place+m.EventID)
	}
	if m.ID != "" {
		keys = append(keys, "message:"+place+string(m.Chat)+"/"+string(m.ID))
	}
	duplicate := false
	for _, key := range keys {
		seen, err := g.o.Dedupe.Seen(ctx, key, time.Now())
		if err != nil {
			g.o.Log.WarnContext(ctx, "dedupe record not available", "platform", m.Platform, "error", err)
		}
		duplicate = duplicate || seen
	}
	return duplicate
}

// isAdmin decides by configuration alone; the terminal's user runs the process.
func (g *Gateway) isAdmin(m Message) bool {
	if m.Platform == Console {
		return true
	}
	if m.User.ID != "" && (g.admins[m.Actor()] || g.admins[string(m.Platform)+":"+string(m.User.ID)]) {
		return true
	}
	for _, role := range m.User.Roles {
		if g.admins[string(m.Platform)+":role:"+role] {
			return true
		}
	}
	return false
}

// A reply that the gateway itself makes is given so long, and less when the gateway
// is ending: a lane of people may have to be told then.
const (
	tellWithin     = 10 * time.Second
	farewellWithin = time.Second
)

// tell replies for the gateway, also when ctx has ended. What cannot be delivered is
// lost: the adapter's own log says why.
func tell(ctx context.Context, r Responder, reply Reply) {
	within := tellWithin
	if ctx.Err() != nil {
		within = farewellWithin
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	_ = r.Reply(ctx, reply)
}
