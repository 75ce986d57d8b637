package commands

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
	"footnote/knowledge/search"
)

// ask hands the question on as if it had been said in words.
func (r *Router) ask(ctx context.Context, c call) (gateway.Reply, error) {
	m := c.Message
	m.Invocation, m.Addressed = nil, true
	if m.Text = c.rest; m.Text == "" {
		m.Text = strings.Join(c.args, " ")
	}
	return gateway.Reply{}, r.o.Questions.Handle(ctx, m, c.respond)
}

// search shows what one library, or every active one, has about the words.
func (r *Router) search(ctx context.Context, c call) (gateway.Reply, error) {
	q := knowledge.Query{Text: strings.Join(c.args[1:], " ")}
	if limit, ok := c.options["limit"]; ok {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 {
			return gateway.Reply{}, c.cmd.misused("`--limit` is a number from 1 to %d, not %s.", search.MaxLimit, code(limit))
		}
		q.Limit = min(n, search.MaxLimit)
	}
	where := "these libraries"
	if id := c.args[0]; id != "*" && id != `\*` {
		lib, err := r.library(ctx, id)
		if e, ok := errors.AsType[*knowledge.Error](err); ok && e.Code == knowledge.NotFound {
			return gateway.Reply{}, &knowledge.Error{
				Code: e.Code, Cause: e.Cause,
				Reason: sentence(e.Reason) + " To search every library: " + code("/kb search * "+strings.Join(c.args, " ")),
			}
		}
		if err != nil {
			return gateway.Reply{}, err
		}
		q.Libraries, where = []string{lib.ID}, lib.ID
	}
	found, err := r.o.Search.Search(ctx, q)
	if err != nil {
		return gateway.Reply{}, err
	}
	var text string
	switch {
	case len(found.Hits) == 0 && len(found.Related) == 0:
		text = fmt.Sprintf("Nothing in %s answers this.", where)
	case len(found.Hits) == 0:
		text = fmt.Sprintf("Nothing in %s clearly answers this. Possibly related:", where)
	case len(found.Related) == 0:
		text = fmt.Sprintf("%s in %s:", count(len(found.Hits), "passage"), where)
	default:
		text = fmt.Sprintf("%s in %s, and %s possibly related:", count(len(found.Hits), "passage"), where, number(len(found.Related)))
	}
	if found.Partial {
		text = "A part of the search did not answer, so this may be incomplete. " + text
	}
	return gateway.Reply{Text: text, Hits: append(hits(found.Hits), hits(found.Related)...)}, nil
}

// hits makes what a search found ready to show.
func hits(found []knowledge.Hit) []gateway.Hit {
	var list []gateway.Hit
	for _, h := range found {
		hit := gateway.Hit{
			Library: h.Library, Title: h.PageTitle, Section: h.Breadcrumb(), URL: h.URL(),
			Snippet: h.Snippet, Grade: string(h.Grade), Evidence: h.Evidence,
		}
		if !h.CheckedAt.IsZero() {
			hit.Age = knowledge.Age(time.Since(h.CheckedAt))
		}
		list = append(list, hit)
	}
	return list
}

// why shows the passages behind the last answer of this conversation.
func (r *Router) why(ctx context.Context, c call) (gateway.Reply, error) {
	turn, err := r.o.Store.LatestTurn(ctx, c.Conversation())
	if err != nil {
		return gateway.Reply{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "“%s”, %s:", plain(turn.Question), ago(turn.At, time.Now()))
	if len(turn.Passages) == 0 {
		b.WriteString(" no passage was near enough to be shown.")
	}
	for i, p := range turn.Passages {
		title := plain(p.Section)
		if !strings.HasPrefix(p.Section, p.Title) || title == "" {
			title = strings.TrimSuffix(plain(p.Title)+" > "+title, " > ")
		}
		fmt.Fprintf(&b, "\n%d. **%s**: %s: %s, found by its %s, %s. %s",
			i+1, p.Library, title, evidence(p.Evidence), channel(p.Channel), cited(p.Cited), link(p.URL))
	}
	return gateway.Reply{Text: b.String()}, nil
}

// evidence says in words how sure a passage is; people are not shown scores.
func evidence(e float64) string {
	switch {
	case e >= 0.75:
		return "strong evidence"
	case e >= 0.5:
		return "fair evidence"
	}
	return "weak evidence"
}

func channel(name string) string {
	if name == "both" {
		return "words and meaning"
	}
	return name
}

func cited(yes bool) string {
	if yes {
		return "cited"
	}
	return "not cited"
}
