package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
)

// home answers "/kb" alone: the libraries, and what else there is.
func (r *Router) home(ctx context.Context, c call) (gateway.Reply, error) {
	reply, err := r.list(ctx, c)
	reply.Text += "\n\n" + overview(c.User.Admin)
	return reply, err
}

// maxListed bounds a list in one reply, in lines.
const maxListed = 50

// list shows the active libraries, or the archived ones.
func (r *Router) list(ctx context.Context, c call) (gateway.Reply, error) {
	archived := len(c.args) == 1
	if archived && strings.ToLower(c.args[0]) != "archived" {
		return gateway.Reply{}, c.cmd.misused("")
	}
	libraries, err := r.o.Store.Libraries(ctx)
	if err != nil {
		return gateway.Reply{}, err
	}
	running, err := r.o.Store.RunningJobs(ctx)
	if err != nil {
		return gateway.Reply{}, err
	}
	jobs := make(map[string]knowledge.Job, len(running))
	for _, job := range running {
		jobs[job.Library] = job
	}
	var lines []string
	hidden := 0
	for _, lib := range libraries {
		job, busy := jobs[lib.ID]
		delete(jobs, lib.ID)
		if lib.Archived != archived {
			hidden++
			continue
		}
		var state []string
		if busy {
			state = append(state, working(job))
		}
		lines = append(lines, libraryLine(lib, state))
	}
	for _, job := range running {
		if _, unborn := jobs[job.Library]; unborn && !archived {
			lines = append(lines, fmt.Sprintf("- **%s**: %s", job.Library, working(job)))
		}
	}
	return gateway.Reply{Text: listText(lines, hidden, archived, c.User.Admin)}, nil
}

func listText(lines []string, hidden int, archived, admin bool) string {
	var b strings.Builder
	switch {
	case len(lines) == 0 && archived:
		return "No library is archived."
	case len(lines) == 0:
		b.WriteString("There is no library yet.")
		if hidden > 0 {
			b.Reset()
			b.WriteString("No library is active.")
		}
		if admin {
			b.WriteString(" `/kb crawl <id> <url>` makes one.")
		}
	case len(lines) == 1:
		b.WriteString("1 library:\n")
	default:
		fmt.Fprintf(&b, "%s libraries:\n", number(len(lines)))
	}
	for i, line := range lines {
		if i == maxListed {
			fmt.Fprintf(&b, "\n\n%s more are not shown; `/kb status <id>` has each.", number(len(lines)-i))
			break
		}
		b.WriteString("\n" + line)
	}
	if hidden > 0 && !archived {
		fmt.Fprintf(&b, "\n\n%s archived: `/kb list archived`.", number(hidden))
	}
	return b.String()
}

// libraryLine is a library in a list.
func libraryLine(lib knowledge.Library, state []string) string {
	line := fmt.Sprintf("- **%s**: %s", lib.ID, contents(lib))
	if when := ago(lib.CheckedAt, time.Now()); when != "" {
		line += ", checked " + when
	}
	if lib.Nightly {
		state = append(state, "nightly")
	}
	if lib.AutoInject {
		state = append(state, "inject")
	}
	if lib.Archived {
		state = append(state, "archived")
	}
	if len(state) > 0 {
		line += " (" + strings.Join(state, ", ") + ")"
	}
	return line
}

// contents counts what a library holds.
func contents(lib knowledge.Library) string {
	text := count(lib.Pages, "page") + ", " + count(lib.Chunks, "passage")
	if lib.Gone > 0 {
		text += ", " + number(lib.Gone) + " gone"
	}
	return text
}

// working says what a running job is doing.
func working(job knowledge.Job) string {
	doing := "crawling"
	switch job.Kind {
	case knowledge.JobAdd:
		return "adding a page"
	case knowledge.JobRefresh:
		doing = "refreshing"
	}
	return fmt.Sprintf("%s %s of %s", doing, number(job.Kept()), number(job.MaxPages))
}

// archive hides a library.
func (r *Router) archive(ctx context.Context, c call) (gateway.Reply, error) {
	return r.change(ctx, c.args[0], func(lib *knowledge.Library) { lib.Archived = true },
		"**%[1]s** is archived: out of list, answers and `search *`. `/kb unarchive %[1]s` brings it back.")
}

// unarchive brings a library back.
func (r *Router) unarchive(ctx context.Context, c call) (gateway.Reply, error) {
	return r.change(ctx, c.args[0], func(lib *knowledge.Library) { lib.Archived = false },
		"**%s** is active.")
}

// nightly says whether a library is refreshed every night.
func (r *Router) nightly(ctx context.Context, c call) (gateway.Reply, error) {
	on, ok := onOff(c.args[1])
	if !ok {
		return gateway.Reply{}, c.cmd.misused("")
	}
	said := "**%s** is no longer refreshed every night."
	if on {
		said = "**%s** is refreshed every night from now on."
	}
	return r.change(ctx, c.args[0], func(lib *knowledge.Library) { lib.Nightly = on }, said)
}

// inject says whether a library answers unasked; without one, whether any does.
func (r *Router) inject(ctx context.Context, c call) (gateway.Reply, error) {
	on, ok := onOff(c.args[len(c.args)-1])
	if !ok {
		return gateway.Reply{}, c.cmd.misused("")
	}
	if len(c.args) == 1 {
		value, said := knowledge.SettingOff, "Auto-injection is off everywhere. `/kb inject on` lets it work again."
		if on {
			value, said = knowledge.SettingOn, "Auto-injection works for the libraries that have it on."
		}
		return gateway.Reply{Text: said}, r.o.Store.SetSetting(ctx, knowledge.SettingInject, value)
	}
	said := "**%s** is no longer injected; it still answers when asked."
	if on {
		said = "**%s** is injected where it fits the question."
	}
	return r.change(ctx, c.args[0], func(lib *knowledge.Library) { lib.AutoInject = on }, said)
}

// change changes a library and says so; said takes its id.
func (r *Router) change(ctx context.Context, typed string, change func(*knowledge.Library), said string) (gateway.Reply, error) {
	id, err := knowledge.LibraryID(typed)
	if err != nil {
		return gateway.Reply{}, err
	}
	if err := r.o.Store.UpdateLibrary(ctx, id, change); err != nil {
		return gateway.Reply{}, err
	}
	return gateway.Reply{Text: fmt.Sprintf(said, id)}, nil
}

func onOff(word string) (on, ok bool) {
	word = strings.ToLower(word)
	return word == "on", word == "on" || word == "off"
}
