package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
)

// confirmWithin is how long a question waits for its answer.
const confirmWithin = 5 * time.Minute

// delete asks whether a library is to be removed for good.
func (r *Router) delete(ctx context.Context, c call) (gateway.Reply, error) {
	lib, err := r.library(ctx, c.args[0])
	if err != nil {
		return gateway.Reply{}, err
	}
	running, err := r.o.Store.RunningJobs(ctx)
	if err != nil {
		return gateway.Reply{}, err
	}
	for _, job := range running {
		if job.Library == lib.ID {
			return gateway.Reply{}, knowledge.Refuse(knowledge.CrawlOwnsLibrary,
				"the %s of %q is running: `/kb cancel %s` stops it, then delete", job.Kind, lib.ID, lib.ID)
		}
	}
	return r.question(ctx, c, "delete "+lib.ID, "Delete "+lib.ID,
		fmt.Sprintf("Delete **%s** for good? That is %s.", lib.ID, contents(lib)))
}

// maxGone bounds the gone pages that one reply lists.
const maxGone = 20

// gone lists a library's gone pages, or asks whether to remove them.
func (r *Router) gone(ctx context.Context, c call) (gateway.Reply, error) {
	remove := len(c.args) == 2
	if remove && strings.ToLower(c.args[1]) != "remove" {
		return gateway.Reply{}, c.cmd.misused("")
	}
	lib, err := r.library(ctx, c.args[0])
	if err != nil {
		return gateway.Reply{}, err
	}
	pages, err := r.o.Store.GonePages(ctx, lib.ID)
	if err != nil {
		return gateway.Reply{}, err
	}
	if len(pages) == 0 {
		return gateway.Reply{Text: fmt.Sprintf("**%s** has no page that is gone from its site.", lib.ID)}, nil
	}
	if remove {
		return r.question(ctx, c, "gone "+lib.ID, "Remove them",
			fmt.Sprintf("Remove %s of **%s** that its site no longer has?", count(len(pages), "page"), lib.ID))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s gone from the site, out of answers. `/kb gone %s remove` removes them.\n",
		lib.ID, count(len(pages), "page"), lib.ID)
	for i, page := range pages {
		if i == maxGone {
			fmt.Fprintf(&b, "\n\n%s more are not shown.", number(len(pages)-i))
			break
		}
		fmt.Fprintf(&b, "\n- %s", link(page.URL))
		if when := ago(page.GoneSince, time.Now()); when != "" {
			fmt.Fprintf(&b, ", first missed %s", when)
		}
	}
	return gateway.Reply{Text: b.String()}, nil
}

// question asks before an act that cannot be undone. Its code is good once, for this
// person in this conversation.
func (r *Router) question(ctx context.Context, c call, action, label, text string) (gateway.Reply, error) {
	secret := newCode()
	err := r.o.Store.SaveConfirmation(ctx, secret, c.Actor(), c.Conversation(), action, time.Now().Add(confirmWithin))
	if err != nil {
		return gateway.Reply{}, err
	}
	yes := "/kb confirm " + secret
	return gateway.Reply{
		Text:    fmt.Sprintf("%s Confirm within %d minutes: `%s`", text, int(confirmWithin.Minutes()), yes),
		Confirm: secret,
		Buttons: []gateway.Button{{Label: label, Command: yes, Danger: true}},
	}, nil
}

// confirm carries out what a question's code stands for.
func (r *Router) confirm(ctx context.Context, c call) (gateway.Reply, error) {
	secret := strings.ToLower(c.args[0])
	action, ok, err := r.o.Store.TakeConfirmation(ctx, secret, c.Actor(), c.Conversation(), time.Now())
	if err != nil {
		return gateway.Reply{}, err
	}
	verb, id, _ := strings.Cut(action, " ")
	switch {
	case !ok:
		return gateway.Reply{}, knowledge.Refuse(knowledge.NotFound,
			"%s confirms nothing here: a code is good once, for %d minutes, for whom it was made and where it was shown. Ask again for a new one.",
			code(secret), int(confirmWithin.Minutes()))
	case !c.User.Admin: // was one when the question was asked
		return gateway.Reply{}, knowledge.Refuse(knowledge.NotAdmin, "`/kb %s` is for admins", verb)
	case verb == "gone":
		n, err := r.o.Store.RemoveGone(ctx, id)
		if err != nil {
			return gateway.Reply{}, err
		}
		return gateway.Reply{Text: fmt.Sprintf("Removed %s of **%s** that were gone.", count(n, "page"), id)}, nil
	case verb == "delete":
		lib, err := r.o.Store.Library(ctx, id)
		if err != nil {
			return gateway.Reply{}, err
		}
		if err := r.o.Store.DeleteLibrary(ctx, id); err != nil {
			return gateway.Reply{}, err
		}
		return gateway.Reply{Text: fmt.Sprintf("**%s** is deleted: %s.", id, contents(lib))}, nil
	}
	return gateway.Reply{}, fmt.Errorf("confirmation stands for %q, which is no act", action)
}
