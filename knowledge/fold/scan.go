package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says how a term came about.
type class uint8

const (
	classWord   class = iota // a plain word, stemmed
	classWhole               // a compound identifier, unstemmed
	classCamel               // a word in mixed case: stemmed as a word, and followed by its parts
	classInner               // a compound inside the whole before it, unstemmed
	classPart                // a part of the whole or the camel before it, stemmed
	classSingle              // one character of a script without spaces
	classBigram              // two neighbours of such a script
)

// maxTerm is the longest term in bytes; what is longer (encoded data, as a rule) is cut.
const maxTerm = 96

// kind sorts a character by what it does to a word.
type kind uint8

const (
	kindOther  kind = iota
	kindWord        // letter, number, mark
	kindJoin        // may stand inside an identifier
	kindSilent      // soft hyphens, joiners, Markdown's backslash: inside a word but not of it
	kindDense       // letter of a script written without spaces
)

// asciiTable has a letter for each ASCII character: w for word, j for joiner.
const asciiTable = "" +
	"                                " +
	"   jj      j jjjwwwwwwwwwwj     " +
	"jwwwwwwwwwwwwwwwwwwwwwwwwww    w" +
	" wwwwwwwwwwwwwwwwwwwwwwwwww     "

// asciiKind is the kind of the ASCII character at i; there is none outside the text.
func asciiKind(text string, i int) kind {
	if i < 0 || i >= len(text) || text[i] >= utf8.RuneSelf {
		return kindOther
	}
	switch asciiTable[text[i]] {
	case 'w':
		return kindWord
	case 'j':
		return kindJoin
	}
	return kindOther
}

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind(string(byte(r)), 0)
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar),
		r == 'ー':
		if unicode.In(r, unicode.L, unicode.M, unicode.Nl) {
			return kindDense
		}
		return kindOther
	case unicode.In(r, unicode.L, unicode.M, unicode.N):
		return kindWord
	case unicode.Is(unicode.Cf, r):
		return kindSilent
	}
	return kindOther
}

func kindAt(text string, i int) (kind, int) {
	if i >= len(text) {
		return kindOther, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		if c == '\\' && i+1 < len(text) && (text[i+1] == '_' || asciiKind(text, i+1) == kindJoin) {
			return kindSilent, 1
		}
		return asciiKind(text, i), 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return kindOf(r), n
}

type emitter func(term string, start, end int, c class)

// scan finds the words and identifiers of text and emits their terms.
func scan(text string, f *folder, emit emitter) {
	for i := 0; i < len(text); {
		k, n := kindAt(text, i)
		switch {
		case k == kindDense:
			i = scanDense(text, i, f, emit)
		case k == kindWord, k == kindJoin && leads(text, i):
			i = scanRun(text, i, f, emit)
		case text[i] == ']':
			i = skipTarget(text, i)
		default:
			i += n
		}
	}
}

// leads says that the joiner at i begins an identifier (--no-verify, @property, $PATH,
// #include, .gitignore, /etc): it touches a letter or digit behind it and no word before it.
func leads(text string, i int) bool {
	if r, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && (r == '\\' || kindOf(r) != kindOther) {
		return false
	}
	c := text[i]
	next := i + 1
	if c == '-' && next < len(text) && text[next] == '-' {
		next++
	}
	if asciiKind(text, next) != kindWord {
		return false
	}
	digit := text[next] >= '0' && text[next] <= '9'
	return !digit && c != '+' && c != ':' || digit && c == '#'
}

// scanRun takes the word or identifier at i, whose first character is known to belong to
// it, emits its terms and gives the place behind it.
func scanRun(text string, i int, f *folder, emit emitter) int {
	start, compound, mixed := i, false, false
	if asciiKind(text, i) == kindJoin {
		compound = true
		for asciiKind(text, i) == kindJoin {
			i++
		}
	}
	lower := false
	for {
		k, n := kindAt(text, i)
		if k == kindWord {
			switch c := text[i]; {
			case c == '_':
				compound = true
			case c >= 'a' && c <= 'z':
				lower = true
			case c >= 'A' && c <= 'Z':
				mixed = mixed || lower
			}
			i += n
			continue
		}
		m := i
		for k == kindSilent {
			m += n
			k, n = kindAt(text, m)
		}
		if m > i && k == kindWord {
			i = m
			continue
		}
		next := join(text, m)
		if next == m {
			break
		}
		compound = true
		if i = next; asciiKind(text, i) == kindOther && text[i-1] != '\\' {
			if k, _ := kindAt(text, i); k != kindWord {
				break // C++ and C# end here
			}
		}
	}
	end := i
	switch {
	case compound:
		emitCompound(text, start, end, 0, f, emit)
	case mixed || hump(text[start:end]):
		emit(f.word(text[start:end]), start, end, classCamel)
		emitParts(text, start, end, f, emit)
	default:
		emitWord(text, start, end, f, classWord, emit)
	}
	return apostrophe(text, end)
}

// join gives the place where an identifier goes on behind the joiners at i, or i when
// it does not: one joiner, "::", "://" or "/." before a word character, or the ends of C++ and C#.
func join(text string, i int) int {
	if asciiKind(text, i) != kindJoin {
		return i
	}
	j := i
	for j < len(text) && j-i < 4 && asciiKind(text, j) == kindJoin {
		j++
	}
	seps := text[i:j]
	k, _ := kindAt(text, j)
	if k == kindSilent && j < len(text) && text[j] == '\\' {
		k, _ = kindAt(text, j+1)
	}
	follows := k == kindWord
	switch {
	case seps == "++":
		return j
	case seps[0] == '#' && (len(seps) > 1 || !follows) && i > 0 && single(text, i):
		return i + 1
	case follows && (len(seps) == 1 && seps != "+" || seps == "::" || seps == "://" || seps == "/." || seps == ":///"):
		return j
	case strings.HasPrefix(seps, "++"):
		return i + 2
	}
	return i
}

// single says that exactly one ASCII letter stands before i, as in C#.
func single(text string, i int) bool {
	c := text[i-1] | 0x20
	return c >= 'a' && c <= 'z' && (i < 2 || asciiKind(text, i-2) == kindOther && text[i-2] < utf8.RuneSelf)
}

// apostrophe skips what a contraction or possessive leaves over: the s of "table's".
func apostrophe(text string, i int) int {
	n := 0
	switch {
	case strings.HasPrefix(text[i:], "'"):
		n = 1
	case strings.HasPrefix(text[i:], "’"):
		n = len("’")
	default:
		return i
	}
	if asciiKind(text, i+n) == kindWord && asciiKind(text, i+n+1) == kindOther &&
		(i+n+1 >= len(text) || text[i+n+1] < utf8.RuneSelf) {
		return i + n + 1
	}
	return i
}

// skipTarget skips the address of a Markdown link, which is not text that people read.
func skipTarget(text string, i int) int {
	rest := text[i+1:]
	for _, lead := range [...]string{"(http", "(/", "(#", "(mailto:", "(./", "(../"} {
		if strings.HasPrefix(rest, lead) {
			if n := strings.IndexAny(rest, ") \n"); n > 0 {
				return i + 1 + n
			}
		}
	}
	return i + 1
}

// scanDense emits the characters and bigrams of a stretch without spaces, a character being
// a letter with its marks. Single ones are kept where they stand alone, and for Han, where
// one character is a word.
func scanDense(text string, i int, f *folder, emit emitter) int {
	prev := -1
	for {
		end := cluster(text, i)
		if end == i {
			return i
		}
		r, _ := utf8.DecodeRuneInString(text[i:])
		switch {
		case prev < 0 && cluster(text, end) == end:
			emitDense(text, i, end, f, classWord, emit)
		case unicode.Is(unicode.Han, r):
			emitDense(text, i, end, f, classSingle, emit)
		}
		if prev >= 0 {
			emitDense(text, prev, end, f, classBigram, emit)
		}
		prev, i = i, end
	}
}

// cluster gives the end of the dense letter at i and its marks, i when there is none.
func cluster(text string, i int) int {
	k, n := kindAt(text, i)
	if k != kindDense {
		return i
	}
	for i += n; i < len(text); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(text[i:]); !unicode.Is(unicode.M, r) || kindOf(r) != kindDense {
			break
		}
	}
	return i
}

func emitDense(text string, start, end int, f *folder, c class, emit emitter) {
	if term := f.dense(text[start:end]); term != "" {
		emit(term, start, end, c)
	}
}
