package gateway

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CommandWord is the one word that begins every command.
const CommandWord = "kb"

// Grammar says how a text is split into an Invocation. The zero value knows no bot
// name and no option.
type Grammar struct {
	// BotNames are this bot's own names on the platform, without "@": "/kb@name" and
	// "@name kb" are ours for them alone, in any case. Without names every "/kb@name"
	// is another bot's, and every mention is taken to be ours.
	BotNames []string
	// Options are the names taken as options ("limit"). Any other --name stays a word,
	// since people search for flags: "/kb search git --no-verify".
	Options []string
}

// ParseInvocation splits a typed command into words with the options that Footnote's
// commands have. It is false when text is no command. It never fails: what cannot be
// split otherwise is a word.
func ParseInvocation(text string) (Invocation, bool) {
	return Grammar{Options: commandOptions()}.Parse(text)
}

// commandOptions are the options that may stand anywhere in a command.
func commandOptions() []string { return []string{"limit"} }

// Parse splits text as ParseInvocation does, by g.
func (g Grammar) Parse(text string) (Invocation, bool) {
	inv, spelling := g.read(text)
	return inv, spelling == spelledSlash || spelling == spelledMention
}

// spelling is how a command was addressed.
type spelling int

const (
	spelledNot     spelling = iota // not a command
	spelledSlash                   // /kb, /kb@ours
	spelledMention                 // @bot kb, @bot /kb
	spelledOther                   // a command for another bot
)

func (g Grammar) read(text string) (Invocation, spelling) {
	body, how := g.command(unwrapTicks(normalise(text)))
	if how != spelledSlash && how != spelledMention {
		return Invocation{}, how
	}
	inv := Invocation{Name: CommandWord}
	words := split(body)
	var cuts []word // what Rest leaves out
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, hasValue := g.option(body, w)
		if name == "" {
			inv.Args = append(inv.Args, w.text)
			if len(inv.Args) == 1 {
				cuts = append(cuts, word{start: 0, end: w.end})
			}
			continue
		}
		cut := w
		if !hasValue {
			value = "true"
			if i+1 < len(words) {
				if next, _, _ := g.option(body, words[i+1]); next == "" {
					i++
					value, cut.end = words[i].text, words[i].end
				}
			}
		}
		if inv.Options == nil {
			inv.Options = make(map[string]string)
		}
		inv.Options[name] = value
		cuts = append(cuts, cut)
	}
	if len(inv.Args) > 0 {
		inv.Rest = without(body, cuts)
	}
	return inv, how
}

// command strips the command word and whatever addresses it, and gives what follows.
func (g Grammar) command(s string) (string, spelling) {
	if rest, ok := strings.CutPrefix(s, "/"); ok {
		return g.afterSlash(rest)
	}
	rest, ours, ok := g.mention(s)
	if !ok {
		return "", spelledNot
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return isSpace(r) || r == ':' || r == ',' })
	rest = strings.TrimPrefix(rest, "/")
	body, ok := cutWord(rest)
	switch {
	case !ok:
		return "", spelledNot
	case !ours:
		return "", spelledOther
	}
	return body, spelledMention
}

func (g Grammar) afterSlash(s string) (string, spelling) {
	if body, ok := cutWord(s); ok {
		return body, spelledSlash
	}
	if len(s) <= len(CommandWord) || !strings.EqualFold(s[:len(CommandWord)], CommandWord) || s[len(CommandWord)] != '@' {
		return "", spelledNot
	}
	name := s[len(CommandWord)+1:]
	body := ""
	if i := strings.IndexFunc(name, isSpace); i >= 0 {
		name, body = name[:i], name[i:]
	}
	if !g.isBot(name) {
		return "", spelledOther
	}
	return body, spelledSlash
}

// mention strips a leading "@name", "<@ID>", "<@!ID>" or "<@ID|name>".
func (g Grammar) mention(s string) (rest string, ours, ok bool) {
	if inner, after, found := strings.Cut(strings.TrimPrefix(s, "<@"), ">"); found && strings.HasPrefix(s, "<@") {
		id, label, _ := strings.Cut(strings.TrimPrefix(inner, "!"), "|")
		return after, len(g.BotNames) == 0 || g.isBot(id) || g.isBot(label), true
	}
	s, ok = strings.CutPrefix(s, "@")
	if !ok {
		return "", false, false
	}
	for _, name := range g.BotNames {
		if len(s) >= len(name) && name != "" && strings.EqualFold(s[:len(name)], name) && !startsInWord(s[len(name):]) {
			return s[len(name):], true, true
		}
	}
	i := strings.IndexFunc(s, func(r rune) bool { return isSpace(r) || r == ':' || r == ',' })
	if i <= 0 {
		return "", false, false
	}
	return s[i:], len(g.BotNames) == 0, true
}

func (g Grammar) isBot(name string) bool {
	return slices.ContainsFunc(g.BotNames, func(own string) bool { return strings.EqualFold(own, name) })
}

// option reads w as --name or --name=value when the name is one of g's.
func (g Grammar) option(body string, w word) (name, value string, hasValue bool) {
	typed, ok := cutDashes(body[w.start:w.end])
	if !ok {
		return "", "", false
	}
	name, value, hasValue = strings.Cut(typed, "=")
	name = strings.ToLower(name)
	if !slices.Contains(g.Options, name) {
		return "", "", false
	}
	return name, unquote(value), hasValue
}

// cutDashes strips "--", or the one long dash that phones make of it.
func cutDashes(s string) (string, bool) {
	for _, dash := range []string{"--", "—", "–", "―"} {
		if rest, ok := strings.CutPrefix(s, dash); ok {
			return rest, rest != ""
		}
	}
	return s, false
}

// cutWord strips the command word when a space or the end follows it.
func cutWord(s string) (string, bool) {
	n := len(CommandWord)
	if len(s) < n || !strings.EqualFold(s[:n], CommandWord) {
		return "", false
	}
	if r, _ := utf8.DecodeRuneInString(s[n:]); len(s) > n && !isSpace(r) {
		return "", false
	}
	return s[n:], true
}

// word is a word of a text: where it stands there, quotes included, and what it says.
type word struct {
	start, end int
	text       string
}

// split cuts s at spaces; a quoted word may hold spaces, and so may a quoted value
// after "=". A quote opens only where a word (or a value) begins and closes only where
// one ends, so that apostrophes and unclosed quotes stay what they are.
func split(s string) []word {
	var words []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isSpace(r) {
			i += size
			continue
		}
		end := i + quoted(s[i:])
		if end == i {
			end = i + unquotedWord(s[i:])
		}
		words = append(words, word{start: i, end: end, text: unquote(s[i:end])})
		i = end
	}
	return words
}

// unquotedWord gives the length of the word at the start of s.
func unquotedWord(s string) int {
	_, isOption := cutDashes(s)
	for i, r := range s {
		if isSpace(r) {
			return i
		}
		if r == '=' && isOption {
			if n := quoted(s[i+1:]); n > 0 {
				return i + 1 + n
			}
		}
	}
	return len(s)
}

// maxQuoted bounds a quoted word in bytes, so that a text full of quotes that never
// close is read in linear time.
const maxQuoted = 1 << 10

// quoted gives the length of the quoted text at the start of s with both quotes,
// 0 when there is none.
func quoted(s string) int {
	open, size := utf8.DecodeRuneInString(s)
	closers := closingQuotes(open)
	if closers == "" {
		return 0
	}
	for i, r := range s[size:] {
		if i > maxQuoted {
			break
		}
		if !strings.ContainsRune(closers, r) {
			continue
		}
		end := size + i + utf8.RuneLen(r)
		if next, _ := utf8.DecodeRuneInString(s[end:]); end == len(s) || isSpace(next) {
			return end
		}
	}
	return 0
}

// closingQuotes are the quotes that close open: phones and editors mix them.
func closingQuotes(open rune) string {
	switch open {
	case '"', '“', '”', '„':
		return "\"“”"
	case '\'', '‘', '’':
		return "'‘’"
	case '«':
		return "»"
	}
	return ""
}

func unquote(s string) string {
	if n := quoted(s); n == 0 || n != len(s) {
		return s
	}
	_, first := utf8.DecodeRuneInString(s)
	_, last := utf8.DecodeLastRuneInString(s)
	return s[first : len(s)-last]
}

// without gives s less the cuts, which are in order and apart, with one side's spaces
// of each cut, and no spaces at the ends.
func without(s string, cuts []word) string {
	var b strings.Builder
	at := 0
	for _, c := range cuts {
		if c.start > at {
			b.WriteString(strings.TrimRightFunc(s[at:c.start], isSpace))
		}
		at = max(at, c.end)
	}
	b.WriteString(s[at:])
	return strings.TrimFunc(b.String(), isSpace)
}

// unwrapTicks takes the backticks off a command that was copied with them.
func unwrapTicks(s string) string {
	if len(s) > 2 && s[0] == '`' && s[len(s)-1] == '`' {
		return strings.TrimFunc(strings.Trim(s, "`"), isSpace)
	}
	return s
}

func startsInWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}

func isSpace(r rune) bool { return unicode.IsSpace(r) }
