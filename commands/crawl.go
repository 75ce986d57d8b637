package commands

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
)

// crawl starts a crawl in the background.
func (r *Router) crawl(ctx context.Context, c call) (gateway.Reply, error) {
	req, err := c.crawlRequest()
	if err != nil {
		return gateway.Reply{}, err
	}
	return c.begin(ctx, r.o.Jobs.Start, req)
}

// refresh crawls a library again in the background.
func (r *Router) refresh(ctx context.Context, c call) (gateway.Reply, error) {
	return c.begin(ctx, r.o.Jobs.Refresh, knowledge.CrawlRequest{Library: c.args[0]})
}

// resume continues a library's latest job in the background.
func (r *Router) resume(ctx context.Context, c call) (gateway.Reply, error) {
	return c.begin(ctx, r.o.Jobs.Resume, knowledge.CrawlRequest{Library: c.args[0]})
}

// cancel stops a library's job; its end is announced where it was asked for.
func (r *Router) cancel(ctx context.Context, c call) (gateway.Reply, error) {
	job, err := r.o.Jobs.Cancel(ctx, c.args[0])
	if err != nil {
		return gateway.Reply{}, err
	}
	return gateway.Reply{Text: fmt.Sprintf("Stopping the %s of **%s**; what is stored stays.", job.Kind, job.Library)}, nil
}

// add fetches one page and says what became of it.
func (r *Router) add(ctx context.Context, c call) (gateway.Reply, error) {
	library, url, ok := c.libraryAndURL()
	if !ok {
		return gateway.Reply{}, c.cmd.misused("%s is not a web address.", code(c.args[1]))
	}
	_ = c.respond.Typing(ctx) // a courtesy: the page is fetched all the same
	added, err := r.o.Jobs.Add(ctx, knowledge.CrawlRequest{
		Library: library, URL: url, By: c.Actor(), ReplyTo: string(c.ReplyTo),
	})
	if err != nil {
		return gateway.Reply{}, err
	}
	title := plain(added.Title)
	if title == "" {
		title = link(added.URL)
	}
	what := map[knowledge.Stored]string{
		knowledge.StoredNew:       "is new",
		knowledge.StoredChanged:   "has replaced the older copy",
		knowledge.StoredUnchanged: "is unchanged",
	}[added.Stored]
	text := fmt.Sprintf("**%s**: %s %s", added.Job.Library, title, what)
	if added.Stored != knowledge.StoredUnchanged {
		text += ", " + count(added.Chunks, "passage")
	}
	return gateway.Reply{Text: text + "."}, nil
}

// begin starts a job whose progress edits the reply that this returns.
func (c call) begin(ctx context.Context, start func(context.Context, knowledge.CrawlRequest) (knowledge.CrawlStarted, error), req knowledge.CrawlRequest) (gateway.Reply, error) {
	req.By, req.ReplyTo = c.Actor(), string(c.ReplyTo)
	note := "" // written before c.sent is closed, read after it
	req.Progress = func(job knowledge.Job) {
		// The job outlives the message that asked for it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), updateWithin)
		defer cancel()
		select {
		case <-c.sent:
		case <-ctx.Done():
			return
		}
		_ = c.respond.Update(ctx, progress(job, note)) // lost progress is overtaken by the next
	}
	started, err := start(ctx, req)
	if err != nil {
		return gateway.Reply{}, err
	}
	if started.Lowered() {
		note += fmt.Sprintf("\n%s is more than a crawl may keep here; the number is lowered to %s.",
			number(started.Asked), number(started.Job.MaxPages))
	}
	if req.IgnoreRobots {
		note += "\nrobots.txt is ignored, as you asked."
	}
	return progress(started.Job, note), nil
}

// updateWithin bounds one edit of a progress message.
const updateWithin = 10 * time.Second

// progress shows how far a job is. Its end is said here without its outcome, which is
// announced by itself.
func progress(job knowledge.Job, note string) gateway.Reply {
	doing := map[knowledge.JobKind]string{
		knowledge.JobAdd: "Adding to", knowledge.JobCrawl: "Crawling", knowledge.JobRefresh: "Refreshing",
	}[job.Kind]
	text := fmt.Sprintf("%s **%s**: %s of %s", doing, job.Library, number(job.Kept()), count(job.MaxPages, "page"))
	if job.Failures > 0 {
		text += fmt.Sprintf(", %s failed", number(job.Failures))
	}
	if job.State.Terminal() {
		text += ", ended"
	}
	return gateway.Reply{
		Text:     text + "." + note,
		Progress: &gateway.Progress{Done: job.Kept(), Total: job.MaxPages, Unit: "pages"},
	}
}

// crawlRequest reads what follows "crawl": library, address, number and options, the
// options anywhere.
func (c call) crawlRequest() (knowledge.CrawlRequest, error) {
	options, err := c.takeOptions("scope", "robots")
	if err != nil {
		return knowledge.CrawlRequest{}, err
	}
	if len(c.args) < 2 || len(c.args) > 3 {
		return knowledge.CrawlRequest{}, c.cmd.misused("A name of several words goes in quotes.")
	}
	var req knowledge.CrawlRequest
	var ok bool
	if req.Library, req.URL, ok = c.libraryAndURL(); !ok {
		return req, c.cmd.misused("%s is not a web address.", code(c.args[1]))
	}
	if len(c.args) == 3 {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(c.args[2]))
		if err != nil || n < 1 {
			return req, c.cmd.misused("%s is not a number of pages.", code(c.args[2]))
		}
		req.MaxPages = n
	}
	switch scope := knowledge.Scope(strings.ToLower(options["scope"])); scope {
	case "", knowledge.ScopeTree, knowledge.ScopePrefix, knowledge.ScopeDomain, knowledge.ScopeExact:
		req.Scope = scope
	default:
		return req, c.cmd.misused("%s is not a scope.", code(options["scope"]))
	}
	switch strings.ToLower(options["robots"]) {
	case "", "on":
	case "off":
		req.IgnoreRobots = true
	default:
		return req, c.cmd.misused("`--robots` is `on` or `off`.")
	}
	return req, nil
}

// takeOptions takes --name value and --name=value out of the words, beside those that
// came apart already. Another word with dashes is a mistake, not a name or an address.
func (c *call) takeOptions(names ...string) (map[string]string, error) {
	options := map[string]string{}
	for _, name := range names {
		if v, ok := c.options[name]; ok {
			options[name] = v
		}
	}
	var words []string
	for i := 0; i < len(c.args); i++ {
		option, ok := cutDashes(c.args[i])
		if !ok {
			words = append(words, c.args[i])
			continue
		}
		name, value, hasValue := strings.Cut(option, "=")
		name = strings.ToLower(name)
		if !slices.Contains(names, name) {
			return nil, c.cmd.misused("There is no option %s.", code(c.args[i]))
		}
		if !hasValue {
			if i+1 == len(c.args) {
				return nil, c.cmd.misused("%s needs a value.", code(c.args[i]))
			}
			i++
			value = c.args[i]
		}
		options[name] = value
	}
	c.args = words
	return options, nil
}

// cutDashes strips the dashes of an option, two or the long one that phones make of them.
func cutDashes(s string) (string, bool) {
	for _, dash := range []string{"--", "—", "–"} {
		if rest, ok := strings.CutPrefix(s, dash); ok {
			return rest, true
		}
	}
	return s, false
}

// libraryAndURL reads the first two words as a library and an address, in the other
// order too when only the first can be the address. It is false when none can.
func (c call) libraryAndURL() (library, url string, ok bool) {
	first, second := c.args[0], c.args[1]
	if !isURL(second) {
		if !isURL(first) {
			return "", "", false
		}
		first, second = second, first
	} else if strings.Contains(first, "://") && !strings.Contains(second, "://") {
		first, second = second, first
	}
	if !schemed.MatchString(second) {
		second = "https://" + second
	}
	return first, second, true
}

var (
	schemed = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(?:[^0-9]|$)`)
	hosted  = regexp.MustCompile(`^(?i:localhost|\[[0-9a-f:.]+\]|[^\s/:@]+\.[^\s/:@]+)(?::\d+)?(?:[/?#].*)?$`)
)

// isURL says whether a word can be an address: it names a scheme or begins with a host.
func isURL(s string) bool { return schemed.MatchString(s) || hosted.MatchString(s) }
