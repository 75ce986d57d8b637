// Package inject answers questions from the libraries. Without a model it does so
// extractively: the best sentences of the best passages, each with the number of its
// source, and nothing at all when nothing answers.
//
// Kind: decider. Imports the words of gateway, knowledge and knowledge/fold, and knowledge/search.
package inject

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
	"footnote/knowledge/fold"
	"footnote/knowledge/search"
)

// Searcher finds passages.
type Searcher interface {
	Search(ctx context.Context, q knowledge.Query) (search.Result, error)
}

// Store knows the libraries and keeps the record of turns.
type Store interface {
	Libraries(ctx context.Context) ([]knowledge.Library, error)
	SaveTurn(ctx context.Context, t knowledge.Turn) error
}

// Options are an Answerer's parts. Search and Store are required.
type Options struct {
	Search Searcher
	Store  Store
	Log    *slog.Logger // nil discards
}

const (
	maxPassages = 5 // read for an answer
	maxRelated  = 2 // shown when nothing answers
	maxNamed    = 5 // libraries named when nothing answers
)

// The outcomes of a turn, as its record has them.
const (
	outcomeExtractive = "extractive"
	outcomeNothing    = "nothing"
)

// Answerer answers every message as a question over all active libraries.
type Answerer struct {
	search Searcher
	store  Store
	log    *slog.Logger
}

// New makes an Answerer.
func New(o Options) *Answerer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Answerer{search: o.Search, store: o.Store, log: o.Log}
}

// Handle answers one question, and records the turn once the answer is out. A question
// that cannot be searched for gives the search's refusal, a *knowledge.Error.
func (a *Answerer) Handle(ctx context.Context, m gateway.Message, r gateway.Responder) error {
	began := time.Now()
	question := strings.TrimSpace(m.Text)
	if smalltalk(question) {
		return r.Reply(ctx, gateway.Reply{Text: "Ask me something about the documentation, in your own words; `/kb list` shows what I know."})
	}
	libraries, err := a.libraries(ctx)
	if err != nil {
		return err
	}
	if len(libraries) == 0 {
		return r.Reply(ctx, gateway.Reply{Text: "There is no library to answer from yet. An admin can add one: `/kb crawl <id> <url>`."})
	}
	_ = r.Typing(ctx) // a courtesy: the answer comes all the same
	found, err := a.search.Search(ctx, knowledge.Query{Text: question, Limit: maxPassages})
	if err != nil {
		return fmt.Errorf("search for an answer: %w", err)
	}
	reply, turn := answer(found, libraries, began)
	if err := r.Reply(ctx, reply); err != nil {
		return fmt.Errorf("send answer: %w", err)
	}
	turn.Conversation, turn.Actor, turn.Question = m.Conversation(), m.Actor(), question
	turn.At, turn.Latency = began, time.Since(began)
	if err := a.store.SaveTurn(ctx, turn); err != nil {
		// The answer is out: whoever asked has nothing to do about its record.
		a.log.ErrorContext(ctx, "turn not recorded", "error", err)
	}
	return nil
}

// libraries are the ids of those that can answer.
func (a *Answerer) libraries(ctx context.Context) ([]string, error) {
	list, err := a.store.Libraries(ctx)
	if err != nil {
		return nil, fmt.Errorf("list libraries: %w", err)
	}
	var ids []string
	for _, l := range list {
		if !l.Archived && l.Chunks > 0 {
			ids = append(ids, l.ID)
		}
	}
	return ids, nil
}

// answer makes the reply of what was found, and what the turn's record says of it.
func answer(found search.Result, libraries []string, now time.Time) (gateway.Reply, knowledge.Turn) {
	text, cited := extract(found.Question, found.Hits)
	if len(cited) == 0 {
		related := slices.Concat(found.Hits, found.Related)
		related = related[:min(len(related), maxRelated)]
		reply := gateway.Reply{Text: "Nothing in " + named(libraries) + " answers this."}
		for _, h := range related {
			reply.Hits = append(reply.Hits, hit(h, now))
		}
		return reply, knowledge.Turn{Outcome: outcomeNothing, Passages: citations(related, nil)}
	}
	var quoted []string
	reply := gateway.Reply{}
	for _, c := range cited {
		reply.Sources = append(reply.Sources, source(c, now))
		if name := "“" + c.hit.Library + "”"; !slices.Contains(quoted, name) {
			quoted = append(quoted, name)
		}
	}
	reply.Text = text + "\n\n📚 This data is from Knowledge " + strings.Join(quoted, ", ") + "."
	return reply, knowledge.Turn{Outcome: outcomeExtractive, Passages: citations(found.Hits, cited)}
}

// named lists libraries for a sentence, the first few by name.
func named(ids []string) string {
	if len(ids) <= maxNamed {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:maxNamed], ", "), len(ids)-maxNamed)
}

// smalltalk says that a message asks nothing: it has function words at most, or greets.
func smalltalk(text string) bool {
	for _, t := range fold.Question(text) {
		if !t.Stop && !greeting(strings.ToLower(t.Word)) {
			return false
		}
	}
	return true
}

func greeting(word string) bool {
	switch word {
	case "hi", "hello", "hey", "hallo", "hola", "bonjour", "salut", "ciao", "ok", "okay", "thanks", "thank", "thx", "merci", "danke",
		"gracias", "good", "morning", "evening", "bye", "lol", "cool", "great", "nice", "مرحبا", "اهلا", "أهلا", "شكرا", "السلام", "عليكم":
		return true
	}
	return false
}
