// Package render turns the CommonMark of replies into what a platform shows. Here are
// the terminal and plain text; a platform's dialect is a file of its own. Whatever the
// text holds, no control character of it reaches the output: the only escape codes
// there are this package's own.
//
// Kind: words.
package render

import (
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// Style says what the output can show. The zero Style is plain text for a pipe: no
// escape code and no wrapping.
type Style struct {
	Width int  // columns to wrap at; 0 does not wrap
	Color bool // ANSI bold, dim, underline and colour
	Links bool // OSC 8 hyperlinks; without them the URL follows the text
}

// Markdown renders CommonMark with tables and strikethrough. The result ends without
// a line break. Code is never wrapped; words wider than the line stand alone on it,
// whole, so that a URL can be copied.
func (s Style) Markdown(source string) string {
	src := []byte(Clean(source))
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	p := painter{style: s, src: src}
	return s.paint(p.children(md.Parser().Parse(text.NewReader(src)), s.Width))
}

// Plain renders CommonMark as plain text wrapped at width, 0 for no wrapping.
func Plain(source string, width int) string { return Style{Width: width}.Markdown(source) }

// Bold gives text (no markup) in bold.
func (s Style) Bold(text string) string { return s.spans(span{text: oneLine(text), look: bold}) }

// Dim gives text (no markup) toned down.
func (s Style) Dim(text string) string { return s.spans(span{text: oneLine(text), look: dim}) }

// URL gives an address as it is shown: itself, and a hyperlink where that is possible.
func (s Style) URL(url string) string {
	return s.spans(span{text: showURL(url), look: dim, url: url})
}

// Wrap breaks text (no markup, one paragraph) at s.Width.
func (s Style) Wrap(text string) string {
	return s.paint(wrap([]span{{text: oneLine(text)}}, s.Width, false))
}

// Indent puts first before the first line of text and spaces of the same width before
// the others that are not empty.
func Indent(text, first string) string {
	pad := strings.Repeat(" ", Width(first))
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		switch {
		case i == 0 && strings.TrimSpace(line) == "":
			b.WriteString(strings.TrimRight(first, " "))
		case i == 0:
			b.WriteString(first)
		case strings.TrimSpace(line) != "":
			b.WriteString(pad)
		}
		b.WriteString(line)
		i++
	}
	return b.String()
}

// Width is how many columns text takes in a terminal; text has no escape codes.
func Width(text string) int {
	// Not the package's default, which depends on the environment's language.
	c := runewidth.Condition{StrictEmojiNeutral: true}
	return c.StringWidth(text)
}

func (s Style) spans(list ...span) string { return s.paint([]line{list}) }

// look is how a span is shown.
type look uint8

const (
	bold look = 1 << iota
	dim
	italic
	underline
	strike
	code
)

// span is a run of text of one look; url makes it a link. A span "\n" breaks the line.
type span struct {
	text string
	look look
	url  string
}

// line is one line of output.
type line []span

// paint writes lines with the escape codes that s allows, opened and closed within
// each line, so that a cut-off output never leaves the terminal coloured.
func (s Style) paint(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, run := range merge(trimRight(l)) {
			target := ""
			if s.Links {
				target = linkTarget(run.url)
			}
			if target != "" {
				b.WriteString("\x1b]8;;" + target + "\x1b\\")
			}
			codes := ""
			if s.Color {
				codes = run.look.codes()
			}
			if codes != "" {
				b.WriteString("\x1b[" + codes + "m" + run.text + "\x1b[0m")
			} else {
				b.WriteString(run.text)
			}
			if target != "" {
				b.WriteString("\x1b]8;;\x1b\\")
			}
		}
	}
	return b.String()
}

func (l look) codes() string {
	var codes []string
	for _, c := range []struct {
		look look
		code string
	}{{bold, "1"}, {dim, "2"}, {italic, "3"}, {underline, "4"}, {strike, "9"}, {code, "36"}} {
		if l&c.look != 0 {
			codes = append(codes, c.code)
		}
	}
	return strings.Join(codes, ";")
}

// merge joins neighbours of the same look and link.
func merge(l line) line {
	var out line
	for _, s := range l {
		if n := len(out); n > 0 && out[n-1].look == s.look && out[n-1].url == s.url {
			out[n-1].text += s.text
			continue
		}
		out = append(out, s)
	}
	return out
}

func trimRight(l line) line {
	for len(l) > 0 {
		last := l[len(l)-1]
		last.text = strings.TrimRight(last.text, " ")
		if last.text != "" {
			return append(l[:len(l)-1:len(l)-1], last)
		}
		l = l[:len(l)-1]
	}
	return l
}

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += Width(s.text)
	}
	return n
}
