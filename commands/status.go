package commands

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
)

// status shows a library and its latest job, or what that job could not store.
func (r *Router) status(ctx context.Context, c call) (gateway.Reply, error) {
	failed := len(c.args) == 2
	if failed && strings.ToLower(c.args[1]) != "failed" {
		return gateway.Reply{}, c.cmd.misused("")
	}
	id, err := knowledge.LibraryID(c.args[0])
	if err != nil {
		return gateway.Reply{}, err
	}
	// A job may have failed before it made a library, and its journal may be past its
	// time: either alone is worth showing.
	lib, missing := r.o.Store.Library(ctx, id)
	if missing != nil && knowledge.CodeOf(missing) != knowledge.NotFound {
		return gateway.Reply{}, missing
	}
	job, err := r.o.Store.LatestJob(ctx, id)
	switch {
	case err != nil && knowledge.CodeOf(err) != knowledge.NotFound:
		return gateway.Reply{}, err
	case err != nil && missing != nil:
		return gateway.Reply{}, missing
	case err != nil && failed:
		return gateway.Reply{}, err
	}
	if failed {
		return r.failures(ctx, job)
	}
	var b strings.Builder
	if missing == nil {
		b.WriteString(strings.TrimPrefix(libraryLine(lib, nil), "- "))
		b.WriteString(".\n")
	} else {
		fmt.Fprintf(&b, "**%s** holds nothing yet.\n", id)
	}
	if err != nil {
		b.WriteString("\nNo job of it is on record.")
	} else if err := r.describe(ctx, &b, job); err != nil {
		return gateway.Reply{}, err
	}
	if lib.Gone > 0 {
		fmt.Fprintf(&b, "\n%s gone from the site and left out of answers: `/kb gone %s`.", count(lib.Gone, "page"), id)
	}
	used, quota, err := r.o.Store.Usage(ctx)
	if err != nil {
		return gateway.Reply{}, err
	}
	fmt.Fprintf(&b, "\nStorage: %s", size(used))
	if quota > 0 {
		fmt.Fprintf(&b, " of %s", size(quota))
	}
	b.WriteString(", all libraries together.")
	return gateway.Reply{Text: b.String()}, nil
}

// describe writes the latest job: how it stands, what it counted, what may come next.
func (r *Router) describe(ctx context.Context, b *strings.Builder, job knowledge.Job) error {
	now := time.Now()
	fmt.Fprintf(b, "\nLatest job: %s", job.Kind)
	if job.Start != "" {
		fmt.Fprintf(b, " of %s", link(job.Start))
	}
	if job.State == knowledge.Running {
		fmt.Fprintf(b, ", running: %s of %s", number(job.Kept()), count(job.MaxPages, "page"))
		if job.LeaseUntil.Before(now) {
			// Only then it matters whose it is: that process has gone silent.
			fmt.Fprintf(b, ", but its owner %s has not been heard of for %s", code(job.Owner), knowledge.Age(now.Sub(job.LeaseUntil)))
		}
	} else {
		fmt.Fprintf(b, ", %s %s", ending(job.State), ago(job.EndedAt, now))
	}
	if job.Code != "" {
		fmt.Fprintf(b, " (`%s`)", job.Code)
	}
	b.WriteString(".")
	if job.Reason != "" {
		b.WriteString(" " + sentence(reason(job.Reason)))
	}
	if !job.Robots {
		b.WriteString(" robots.txt was ignored, as an admin asked.")
	}
	if done := summary(job); done != "" {
		b.WriteString("\n" + done)
	}
	fmt.Fprintf(b, "\nAddresses: %s discovered, %s waiting, %s redirected, %s without text of their own.",
		number(job.Discovered), number(job.Waiting()), number(job.Redirects), number(job.Excluded))
	_, byCode, err := r.o.Store.Failures(ctx, job.ID, 1)
	if err != nil {
		return err
	}
	if len(byCode) > 0 {
		fmt.Fprintf(b, "\nNot stored: %s.", reasons(byCode))
	}
	if next := nextStep(job); next != "" {
		b.WriteString("\n" + next)
	}
	return nil
}

// reasons counts refusals by code, the most frequent first.
func reasons(byCode map[knowledge.Code]int) string {
	codes := slices.SortedFunc(maps.Keys(byCode), func(a, b knowledge.Code) int {
		if d := byCode[b] - byCode[a]; d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	parts := make([]string, len(codes))
	for i, c := range codes {
		parts[i] = fmt.Sprintf("%s × `%s`", number(byCode[c]), c)
	}
	return strings.Join(parts, ", ")
}

// maxFailures bounds the failures that one reply lists.
const maxFailures = 20

// failures lists what a job could not store, and why.
func (r *Router) failures(ctx context.Context, job knowledge.Job) (gateway.Reply, error) {
	list, byCode, err := r.o.Store.Failures(ctx, job.ID, maxFailures)
	if err != nil {
		return gateway.Reply{}, err
	}
	if len(list) == 0 {
		return gateway.Reply{Text: fmt.Sprintf("**%s**: nothing failed in its latest %s.", job.Library, job.Kind)}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**, latest %s: %s.\n", job.Library, job.Kind, reasons(byCode))
	for _, f := range list {
		fmt.Fprintf(&b, "\n- %s: %s (`%s`)", link(f.URL), plain(f.Reason), f.Code)
	}
	total := 0
	for _, n := range byCode {
		total += n
	}
	if more := total - len(list); more > 0 {
		fmt.Fprintf(&b, "\n\n%s more are not shown.", number(more))
	}
	return gateway.Reply{Text: b.String()}, nil
}
