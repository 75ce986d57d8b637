package render

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean takes from text what could steer a terminal: C0 and C1 control characters,
// DEL, bidirectional overrides and isolates, invalid UTF-8 (in which a lone byte may
// be a C1 code). Controls are shown by their pictures, so that nothing vanishes
// unseen. Line breaks of any kind become "\n"; tabs stay.
func Clean(text string) string {
	if !strings.ContainsFunc(text, unsafe) && utf8.ValidString(text) {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case !unsafe(r):
			return r
		case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			return '\n'
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7F:
			return 0x2421
		case unicode.Is(unicode.Cc, r):
			return utf8.RuneError
		}
		return -1
	}, text)
}

func unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u2028' || r == '\u2029':
		return true
	case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return unicode.Is(unicode.Cc, r)
}

// oneLine cleans text and makes every run of white space one space.
func oneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// showURL gives a URL that can be read and copied as one word.
func showURL(u string) string {
	return strings.ReplaceAll(strings.ReplaceAll(oneLine(u), " ", "%20"), "\t", "%09")
}

// linkTarget gives what a hyperlink may point at, "" when it may not: only schemes
// that a click can do no harm with, and only printable ASCII.
func linkTarget(u string) string {
	parsed, err := url.Parse(u)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" && parsed.Scheme != "mailto" {
		return ""
	}
	var b strings.Builder
	for _, c := range []byte(u) {
		if c > 0x20 && c < 0x7F {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Truncate cuts one line of text without markup to width columns, with "…" in the
// place of what was cut.
func Truncate(text string, width int) string {
	text = oneLine(text)
	if Width(text) <= width {
		return text
	}
	used := 0
	for i, r := range text {
		n := Width(string(r))
		if used+n > width-1 {
			return text[:i] + "…"
		}
		used += n
	}
	return text
}
