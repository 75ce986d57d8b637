package commands

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"footnote/knowledge"
	"footnote/knowledge/search"
)

// number writes n with separators of thousands: 1,169.
func number(n int) string {
	digits := strconv.Itoa(max(n, -n))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n < 0 {
		return "-" + digits
	}
	return digits
}

// count writes n things, "1 page" or "1,169 pages".
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return number(n) + " " + strings.TrimSuffix(thing, "y") + "ies"
	}
	return number(n) + " " + thing + "s"
}

// ago writes how long before now something was; "" when it never was.
func ago(then, now time.Time) string {
	if then.IsZero() {
		return ""
	}
	age := knowledge.Age(now.Sub(then))
	if age == knowledge.Age(0) {
		return age
	}
	return age + " ago"
}

// size writes a number of bytes: "12.3 MiB".
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return count(int(n), "byte")
	}
	value, names := float64(n), "KMGT"
	i := -1
	for value >= unit && i < len(names)-1 {
		value /= unit
		i++
	}
	return fmt.Sprintf("%s %ciB", strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0"), names[i])
}

// maxEcho bounds, in characters, what is repeated of what somebody else wrote.
const maxEcho = 120

// shorten cuts s to n characters on one line.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRightFunc(string([]rune(s)[:n-1]), unicode.IsSpace) + "…"
}

// code writes what somebody typed as a code span, so that none of it is markup.
func code(s string) string {
	return "`" + shorten(strings.ReplaceAll(s, "`", "'"), maxEcho) + "`"
}

// plain writes what a page or a person wrote as text within a line, so that none of it
// is markup.
func plain(s string) string {
	var b strings.Builder
	for _, r := range shorten(s, maxEcho) {
		if strings.ContainsRune("\\`*_[]<#|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// spans finds code spans of one backtick at each end.
var spans = regexp.MustCompile("(?:^|[^`])(`[^`\n]+`)(?:$|[^`])")

// reason writes why something was refused as CommonMark. Reasons name what sites and
// people wrote, so that nothing in them is markup but code spans, which do no harm.
func reason(s string) string {
	var b strings.Builder
	for {
		at := spans.FindStringSubmatchIndex(s)
		if at == nil {
			b.WriteString(search.Escape(s))
			return b.String()
		}
		b.WriteString(search.Escape(s[:at[2]]) + s[at[2]:at[3]])
		s = s[at[3]:]
	}
}

// link writes an address as a link that shows itself.
func link(url string) string {
	if strings.ContainsAny(url, "<> \n") {
		return code(url)
	}
	return "<" + url + ">"
}

// sentence makes a reply of a refusal's reason. A first word that is a name, an address
// or quoted keeps its spelling, and so does an address at the end.
func sentence(reason string) string {
	words := strings.Fields(reason)
	if len(words) == 0 {
		return reason
	}
	if strings.IndexFunc(strings.TrimSuffix(words[0], ","), func(r rune) bool { return !unicode.IsLower(r) }) < 0 {
		first, n := utf8.DecodeRuneInString(reason)
		reason = string(unicode.ToUpper(first)) + reason[n:]
	}
	return ended(reason)
}

// ended gives reason a full stop, unless an address or a mark is its end.
func ended(reason string) string {
	at := strings.LastIndexByte(reason, ' ') + 1
	last, _ := utf8.DecodeLastRuneInString(reason)
	if strings.Contains(reason[at:], "/") || !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '"' && last != ')' {
		return reason
	}
	return reason + "."
}
