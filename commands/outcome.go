package commands

import (
	"fmt"
	"strings"

	"footnote/gateway"
	"footnote/knowledge"
)

// Outcome is the announcement of a job that has ended.
func Outcome(job knowledge.Job) gateway.Reply {
	head := fmt.Sprintf("**%s**: %s %s", job.Library, job.Kind, ending(job.State))
	if job.Reason != "" {
		head += ": " + reason(job.Reason)
	}
	text := ended(head)
	for _, part := range []string{summary(job), nextStep(job)} {
		switch {
		case part == "":
		case strings.HasSuffix(text, "."):
			text += " " + part
		default: // an address ends the line
			text += "\n" + part
		}
	}
	reply := gateway.Reply{Text: text}
	if job.State == knowledge.Failed {
		reply.Code = string(job.Code)
	}
	return reply
}

// ending says how a job ended.
func ending(state knowledge.JobState) string {
	switch state {
	case knowledge.Partial:
		return "completed, with failures"
	case knowledge.Running:
		return "is running"
	}
	return string(state)
}

// summary counts what a job has stored, and what it could not.
func summary(job knowledge.Job) string {
	var kinds []string
	for _, part := range []struct {
		n    int
		what string
	}{{job.New, "new"}, {job.Changed, "replaced"}, {job.Unchanged, "unchanged"}} {
		if part.n > 0 {
			kinds = append(kinds, number(part.n)+" "+part.what)
		}
	}
	var parts []string
	if len(kinds) > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s)", count(job.Kept(), "page"), strings.Join(kinds, ", ")))
	}
	if job.Chunks > 0 {
		parts = append(parts, count(job.Chunks, "passage"))
	}
	if job.GonePages > 0 {
		parts = append(parts, number(job.GonePages)+" not found")
	}
	text := strings.Join(parts, ", ")
	// A reason that is the only failure has been said.
	if job.Failures > 1 || job.Failures == 1 && job.State != knowledge.Failed {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s failed: see `/kb status %s failed`", number(job.Failures), job.Library)
	}
	if text == "" {
		return ""
	}
	return text + "."
}

// nextStep says what can be done after a job, "" when nothing needs to be.
func nextStep(job knowledge.Job) string {
	switch {
	case job.State == knowledge.Running:
		return fmt.Sprintf("`/kb cancel %s` stops it.", job.Library)
	case job.State == knowledge.Interrupted || job.State == knowledge.Cancelled:
		return fmt.Sprintf("`/kb resume %s` continues it.", job.Library)
	case job.State == knowledge.Failed && job.Kept() > 0:
		return fmt.Sprintf("What was stored stays; `/kb refresh %s` tries again.", job.Library)
	case job.State != knowledge.Failed && job.Kept() >= job.MaxPages && job.Waiting() > 0 && job.Kind == knowledge.JobCrawl:
		return fmt.Sprintf("It stopped at its number; %s more had been discovered. A larger N keeps more, up to the configured cap: `/kb crawl %s %s N`.",
			number(job.Waiting()), job.Library, job.Start)
	}
	return ""
}
