package gateway

import (
	"strings"
	"unicode"
)

// normalise undoes what chat clients do to typed text: links in angle brackets,
// escaped markup, invisible characters, exotic spaces. Line breaks and tabs stay.
func normalise(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = bareLinks(s)
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case invisible(r):
			return -1
		}
		return r
	}, s)
	return strings.TrimFunc(s, isSpace)
}

// invisible tells the characters that copying and bidirectional keyboards leave in a
// text. The joiners U+200C and U+200D are not among them: words are spelled with them.
func invisible(r rune) bool {
	switch {
	case r == '\u200B', r == '\u200E', r == '\u200F', r == '\u2060', r == '\uFEFF', r == '\u00AD', r == '\u061C':
		return true
	case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return unicode.IsControl(r)
}

// bareLinks replaces <url|label> and <url> by the URL, and undoes the escaping of
// markup once, in links and around them. Other angle brackets are what somebody
// typed: "/kb search <id>".
func bareLinks(s string) string {
	var b strings.Builder
	for s != "" {
		before, after, found := strings.Cut(s, "<")
		b.WriteString(unescape(before))
		if !found {
			break
		}
		s = after
		if !hasScheme(after) {
			b.WriteByte('<')
			continue
		}
		end := strings.IndexByte(after[:min(len(after), maxLink)], '>')
		url, _, _ := strings.Cut(after[:max(end, 0)], "|")
		if url == "" || strings.ContainsFunc(url, unicode.IsSpace) {
			b.WriteByte('<')
			continue
		}
		b.WriteString(unescape(strings.TrimPrefix(url, "mailto:")))
		s = after[end+1:]
	}
	return b.String()
}

// maxLink bounds a link with its label, in bytes.
const maxLink = 8 << 10

func hasScheme(s string) bool {
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

func unescape(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = after
		end := strings.IndexByte(after[:min(len(after), len("quot;"))], ';')
		plain := entity(after[:max(end, 0)])
		if plain == "" {
			b.WriteByte('&')
			continue
		}
		b.WriteString(plain)
		s = after[end+1:]
	}
}

// entity knows the names that chat platforms escape with, and no more: a person may
// ask what &nbsp; is.
func entity(name string) string {
	switch name {
	case "amp":
		return "&"
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "quot":
		return `"`
	case "#39", "#x27", "apos":
		return "'"
	}
	return ""
}
