package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"footnote/adapters/render"
	"footnote/gateway"
)

// human shows a reply to a person: text, hits, fields, sources, then what to type.
func human(r gateway.Reply, s render.Style) string {
	var parts []string
	add := func(text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			parts = append(parts, text)
		}
	}
	add(s.Markdown(r.Text))
	add(hits(r.Hits, s))
	add(fields(r.Fields, s))
	add(sources(r.Sources, s))
	add(choices(r, s))
	return strings.Join(parts, "\n\n")
}

// hits lists search results, numbered; the possible ones stand apart, below.
func hits(list []gateway.Hit, s render.Style) string {
	var b strings.Builder
	related := false
	for i, h := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		if h.Grade == "possible" && !related {
			related = true
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(s.Bold("Possibly related") + "\n\n")
		} else if i > 0 {
			b.WriteByte('\n')
		}
		number := fmt.Sprintf("%d. ", i+1)
		inner := narrower(s, render.Width(number))
		lines := []string{s.Bold(h.Title), inner.Dim(joined(within(h.Title, h.Section), h.Library, ago(h.Age)))}
		if h.Snippet != "" {
			lines = append(lines, inner.Markdown(h.Snippet))
		}
		lines = append(lines, s.URL(h.URL))
		b.WriteString(render.Indent(strings.Join(nonEmpty(lines), "\n"), number))
	}
	return b.String()
}

// within is a section's breadcrumb less the page's title, which stands before it.
func within(title, section string) string {
	if rest, ok := strings.CutPrefix(section, title); ok {
		return strings.TrimPrefix(rest, " > ")
	}
	return section
}

// sources lists citations by the numbers that the text uses.
func sources(list []gateway.Source, s render.Style) string {
	if len(list) == 0 {
		return ""
	}
	lines := []string{s.Bold("Sources")}
	for i, src := range list {
		number := fmt.Sprintf("[%d] ", i+1)
		text := strings.Join(nonEmpty([]string{joined(src.Title, within(src.Title, src.Section), src.Library, ago(src.Age))}), "")
		lines = append(lines, render.Indent(narrower(s, render.Width(number)).Wrap(text)+"\n"+s.URL(src.URL), number))
	}
	return strings.Join(lines, "\n")
}

// ago says how old something is: "3 days" is 3 days ago, "just now" says it already.
func ago(age string) string {
	if age != "" && age[0] >= '0' && age[0] <= '9' {
		return age + " ago"
	}
	return age
}

// fields aligns the values under each other.
func fields(list []gateway.Field, s render.Style) string {
	wide := 0
	for _, f := range list {
		wide = max(wide, render.Width(render.Clean(f.Name)))
	}
	wide = min(wide, 40)
	lines := make([]string, 0, len(list))
	for _, f := range list {
		pad := strings.Repeat(" ", max(0, wide-render.Width(render.Clean(f.Name)))+2)
		value := narrower(s, wide+2).Markdown(f.Value)
		first, rest, more := strings.Cut(value, "\n")
		line := s.Bold(f.Name) + pad + first
		if more {
			indent := strings.Repeat(" ", wide+2)
			line += "\n" + render.Indent(rest, indent)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// choices shows buttons as what to type, unless the text has said it.
func choices(r gateway.Reply, s render.Style) string {
	var lines []string
	asked := r.Confirm != "" && strings.Contains(r.Text, "/kb confirm "+r.Confirm)
	for _, b := range r.Buttons {
		if strings.Contains(r.Text, "`"+b.Command+"`") {
			continue
		}
		asked = asked || r.Confirm != "" && strings.HasSuffix(b.Command, " "+r.Confirm)
		lines = append(lines, s.Wrap(b.Label+": type "+b.Command))
	}
	if r.Confirm != "" && !asked {
		lines = append(lines, "To go on, type "+s.Bold("/kb confirm "+r.Confirm))
	}
	return strings.Join(lines, "\n")
}

// progressLine is progress in one line, as wide as s at most. The count is left out
// when the text has it; hint, if any, comes last.
func progressLine(r gateway.Reply, s render.Style, hint string) string {
	p := *r.Progress
	text := strings.Join(strings.Fields(render.Plain(r.Text, 0)), " ")
	count := strconv.Itoa(p.Done)
	if p.Total > 0 {
		count += fmt.Sprintf(" of %d", p.Total)
	}
	if strings.Contains(strings.ReplaceAll(text, ",", ""), ": "+count+" ") {
		text, count = strings.TrimSuffix(text, "."), ""
	} else if p.Unit != "" {
		count += " " + render.Clean(p.Unit)
	}
	share := ""
	if p.Total > 0 {
		share = fmt.Sprintf("%d %%", percent(p))
	}
	line := joined(text, count, share, hint)
	if s.Width > 1 {
		line = render.Truncate(line, s.Width-1)
	}
	return line
}

// percent is how much of p is done, 0 while the total is unknown.
func percent(p gateway.Progress) int {
	if p.Total <= 0 {
		return 0
	}
	return min(100, p.Done*100/p.Total)
}

func narrower(s render.Style, columns int) render.Style {
	if s.Width > 0 {
		s.Width = max(s.Width-columns, 20)
	}
	return s
}

func joined(parts ...string) string { return strings.Join(nonEmpty(parts), " · ") }

func nonEmpty(list []string) []string {
	var out []string
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// The line that a program reads. Scripts rely on the names; empty fields are left out.
type (
	jsonMessage struct {
		ReplyTo  string        `json:"reply_to,omitempty"`
		Text     string        `json:"text,omitempty"`
		Hits     []jsonHit     `json:"hits,omitempty"`
		Sources  []jsonSource  `json:"sources,omitempty"`
		Confirm  string        `json:"confirm,omitempty"`
		Code     string        `json:"code,omitempty"`
		Progress *jsonProgress `json:"progress,omitempty"`
		Final    bool          `json:"final,omitempty"`
	}
	jsonHit struct {
		Library  string  `json:"library,omitempty"`
		Title    string  `json:"title,omitempty"`
		Section  string  `json:"section,omitempty"`
		URL      string  `json:"url,omitempty"`
		Snippet  string  `json:"snippet,omitempty"`
		Grade    string  `json:"grade,omitempty"`
		Evidence float64 `json:"evidence,omitempty"`
		Age      string  `json:"age,omitempty"`
	}
	jsonSource struct {
		Library string `json:"library,omitempty"`
		Title   string `json:"title,omitempty"`
		Section string `json:"section,omitempty"`
		URL     string `json:"url,omitempty"`
	}
	jsonProgress struct {
		Done  int    `json:"done"`
		Total int    `json:"total"`
		Unit  string `json:"unit,omitempty"`
	}
)

// jsonLine is a reply as one line of JSON. Fields have no place of their own there:
// they follow the text.
func jsonLine(replyTo string, r gateway.Reply) string {
	m := jsonMessage{ReplyTo: replyTo, Text: r.Text, Confirm: r.Confirm, Code: r.Code, Final: r.Progress == nil}
	for _, f := range r.Fields {
		m.Text = strings.TrimLeft(m.Text+"\n"+f.Name+": "+f.Value, "\n")
	}
	for _, h := range r.Hits {
		m.Hits = append(m.Hits, jsonHit(h))
	}
	for _, s := range r.Sources {
		m.Sources = append(m.Sources, jsonSource{Library: s.Library, Title: s.Title, Section: s.Section, URL: s.URL})
	}
	if r.Progress != nil {
		m.Progress = new(jsonProgress(*r.Progress))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil { // only a score that is no number
		return `{"reply_to":` + fmt.Sprintf("%q", replyTo) + `,"code":"internal_error","final":true}` + "\n"
	}
	return escapeControls(b.String())
}

// escapeControls writes the characters that encoding/json leaves and a terminal may
// obey (DEL, C1, bidirectional controls) as JSON escapes: somebody may be looking.
func escapeControls(line string) string {
	line, _ = strings.CutSuffix(line, "\n")
	var b strings.Builder
	for _, r := range line {
		if render.Clean(string(r)) == string(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String() + "\n"
}
