package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"footnote/gateway"
	"footnote/knowledge"

	"github.com/agnivade/levenshtein"
)

// command is a row of the table.
type command struct {
	name    string
	usage   string // what follows "/kb "
	example string // likewise
	summary string // one line of the help
	detail  string // more, for the command's own help
	admin   bool   // for admins alone

	min, max int // how many words it takes; max -1 is any number
	run      func(*Router, context.Context, call) (gateway.Reply, error)
}

// table is every command, in the order of the help.
func table() []command {
	return slices.Concat(reading(), crawling(), keeping())
}

// Names are the words that may follow "/kb", in the order of the help: what a terminal
// completes.
func Names() []string {
	var names []string
	for _, c := range table() {
		names = append(names, c.name)
	}
	return names
}

// reading is what everybody may do.
func reading() []command {
	return []command{
		{
			name: "list", usage: "list [archived]", example: "list", max: 1, run: (*Router).list,
			summary: "the libraries, with pages, passages and age",
			detail:  "Archived libraries are left out; `/kb list archived` shows them.",
		},
		{
			name: "help", usage: "help [command]", example: "help search", max: 1, run: (*Router).help,
			summary: "what you can do, or more about one command",
		},
		{
			name: "ask", usage: "ask <question>", example: "ask how do I add a column?", min: 1, max: -1, run: (*Router).ask,
			summary: "an answer with its sources; the same as asking me in words",
		},
		{
			name: "search", usage: "search <id or *> <query> [--limit N]", example: "search postgres add a column", min: 2, max: -1, run: (*Router).search,
			summary: "passages, best first",
			detail:  "`*` searches every library that is not archived. 8 passages by default, `--limit` gives up to 50.",
		},
		{
			name: "status", usage: "status <id> [failed]", example: "status postgres failed", min: 1, max: 2, run: (*Router).status,
			summary: "a library's latest job; `failed` lists what could not be stored, and why",
		},
		{
			name: "why", usage: "why", example: "why", run: (*Router).why,
			summary: "the passages behind my last answer here",
		},
		{
			name: "confirm", usage: "confirm <code>", example: "confirm 7f3a91", min: 1, max: 1, run: (*Router).confirm,
			summary: "says yes to a question of mine that carries a code",
		},
	}
}

// crawling is how admins fill libraries.
func crawling() []command {
	return []command{
		{
			name: "add", usage: "add <id> <url>", example: "add postgres https://www.postgresql.org/docs/current/sql-altertable.html", admin: true, min: 2, max: 2, run: (*Router).add,
			summary: "fetch one page now",
		},
		{
			name: "crawl", usage: "crawl <id> <url> [N] [--scope tree|prefix|domain|exact] [--robots off]", example: "crawl postgres https://www.postgresql.org/docs/current/ 500", admin: true, min: 2, max: -1, run: (*Router).crawl,
			summary: "fetch a whole tree in the background, N pages at most",
			detail: "The scope `tree` (the default) stays under the start URL's folder, `prefix` with addresses that begin with it, " +
				"`domain` on the site with its subdomains, `exact` on that page. `--robots off` ignores robots.txt, and the journal keeps who said so.",
		},
		{
			name: "refresh", usage: "refresh <id>", example: "refresh postgres", admin: true, min: 1, max: 1, run: (*Router).refresh,
			summary: "crawl a library again; unchanged pages cost little, and nothing is deleted",
		},
		{
			name: "resume", usage: "resume <id>", example: "resume postgres", admin: true, min: 1, max: 1, run: (*Router).resume,
			summary: "continue a job that was interrupted or cancelled",
		},
		{
			name: "cancel", usage: "cancel <id>", example: "cancel postgres", admin: true, min: 1, max: 1, run: (*Router).cancel,
			summary: "stop a running job; what is stored stays",
		},
	}
}

// keeping is how admins look after libraries.
func keeping() []command {
	return []command{
		{
			name: "delete", usage: "delete <id>", example: "delete postgres", admin: true, min: 1, max: 1, run: (*Router).delete,
			summary: "remove a library for good; asks first",
		},
		{
			name: "archive", usage: "archive <id>", example: "archive postgres", admin: true, min: 1, max: 1, run: (*Router).archive,
			summary: "hide a library from list, answers and `search *`; naming it still reads it",
		},
		{
			name: "unarchive", usage: "unarchive <id>", example: "unarchive postgres", admin: true, min: 1, max: 1, run: (*Router).unarchive,
			summary: "bring an archived library back",
		},
		{
			name: "nightly", usage: "nightly <id> on|off", example: "nightly postgres on", admin: true, min: 2, max: 2, run: (*Router).nightly,
			summary: "refresh a library every night",
		},
		{
			name: "gone", usage: "gone <id> [remove]", example: "gone postgres", admin: true, min: 1, max: 2, run: (*Router).gone,
			summary: "the pages that their site no longer has; `remove` removes them, and asks first",
		},
		{
			name: "inject", usage: "inject [id] on|off", example: "inject postgres on", admin: true, min: 1, max: 2, run: (*Router).inject,
			summary: "let a library answer unasked; without an id, the switch of all",
			detail:  "`/kb inject off` stops auto-injection everywhere at once, `/kb inject on` lets it work again where it is on.",
		},
	}
}

func lookup(name string) (command, bool) {
	for _, cmd := range table() {
		if cmd.name == name {
			return cmd, true
		}
	}
	return command{}, false
}

// misused refuses words that the command cannot take, with how it is written. What is
// wrong, when it is known, comes first.
func (cmd command) misused(what string, args ...any) error {
	usage := fmt.Sprintf("Usage: `/kb %s`, for example `/kb %s`", cmd.usage, cmd.example)
	if what != "" {
		usage = fmt.Sprintf(what, args...) + " " + usage
	}
	return knowledge.Refuse(knowledge.InvalidRequest, "%s", usage)
}

// otherwise reads what people type before they know the commands: "help" alone, and a
// command without "/kb" or with that mistyped ("/search pg x", "/kbb list"). It gives
// the command that was meant; "" is a question.
func otherwise(text string) string {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 1 && (words[0] == "help" || words[0] == "?") {
		return "help"
	}
	if len(words) == 0 || words[0][0] != '/' {
		return ""
	}
	name := words[0][1:]
	if len(words) > 1 && levenshtein.ComputeDistance(name, gateway.CommandWord) == 1 {
		name = words[1]
	}
	if _, known := lookup(name); known {
		return name
	}
	return ""
}

// unknown answers a subcommand that is not in the table.
func unknown(name string, admin bool) gateway.Reply {
	text := fmt.Sprintf("%s is not a command.", code("/kb "+name))
	if near := nearest(name, admin); near != "" {
		text += fmt.Sprintf(" Did you mean `/kb %s`?", near)
	}
	return gateway.Reply{
		Text: text + " To ask a question, write `/kb ask` and the question.\n\n" + overview(admin),
		Code: string(knowledge.InvalidRequest), Ephemeral: true,
	}
}

// nearest finds the command that a mistyped name was meant to be.
func nearest(name string, admin bool) string {
	best, distance := "", 3 // two letters exchanged are two edits
	if len(name) < 4 {
		distance = 2
	}
	for _, cmd := range table() {
		if cmd.admin && !admin {
			continue
		}
		if len(name) > 2*len(cmd.name)+2 {
			continue // a word of any length may stand there
		}
		d := levenshtein.ComputeDistance(name, cmd.name)
		if len(name) >= 3 && strings.HasPrefix(cmd.name, name) {
			d = min(d, 1)
		}
		if d < distance {
			best, distance = cmd.name, d
		}
	}
	return best
}

// overview is the help that fits into another reply.
func overview(admin bool) string {
	var names []string
	for _, cmd := range table() {
		if !cmd.admin || admin {
			names = append(names, "`"+cmd.name+"`")
		}
	}
	return "Commands: " + strings.Join(names, ", ") + ". `/kb help` says more."
}

// help lists what this person may do, or explains one command.
func (r *Router) help(_ context.Context, c call) (gateway.Reply, error) {
	if len(c.args) == 0 {
		var b strings.Builder
		b.WriteString("Ask me anything in words, or use a command:\n")
		for _, cmd := range table() {
			if !cmd.admin || c.User.Admin {
				fmt.Fprintf(&b, "\n- `/kb %s`: %s", cmd.usage, cmd.summary)
			}
		}
		b.WriteString("\n\n`/kb help <command>` says more about one.")
		return gateway.Reply{Text: b.String(), Ephemeral: true}, nil
	}
	name := strings.ToLower(strings.TrimPrefix(c.args[0], "/"))
	cmd, ok := lookup(name)
	if !ok {
		return unknown(name, c.User.Admin), nil
	}
	text := fmt.Sprintf("`/kb %s`: %s.", cmd.usage, cmd.summary)
	if cmd.detail != "" {
		text += "\n\n" + cmd.detail
	}
	if cmd.admin {
		text += " Only admins can use it."
	}
	return gateway.Reply{Text: text + fmt.Sprintf("\n\nExample: `/kb %s`", cmd.example), Ephemeral: true}, nil
}
