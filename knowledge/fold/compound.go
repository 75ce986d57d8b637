package fold

import (
	"strings"
	"unicode/utf8"
)

// levels are the separators of a compound, from the loosest: /etc/pg_hba.conf holds
// pg_hba.conf, which holds pg_hba, which holds pg and hba. Every level is a term.
const levelCount = 3

func separates(c byte, level int) bool {
	switch level {
	case 0:
		return c == '/' || c == ':' || c == '@' || c == '#' || c == '$' || c == '+' || c == '\\'
	case 1:
		return c == '.' || c == '\\'
	}
	return c == '_' || c == '-' || c == '\\'
}

// emitCompound emits text[start:end] as a whole and goes down into its pieces.
func emitCompound(text string, start, end, level int, f *folder, emit emitter) {
	emit(f.whole(text[start:end]), start, end, classWhole)
	descend(text, start, end, level, f, emit)
}

// descend splits at the separators of level and of those below it; what is left is a word.
func descend(text string, start, end, level int, f *folder, emit emitter) {
	if level == levelCount {
		if start < end {
			emitWord(text, start, end, f, classPart, emit)
			if hump(text[start:end]) {
				emitParts(text, start, end, f, emit)
			}
		}
		return
	}
	for i := start; i < end; {
		if separates(text[i], level) {
			i++
			continue
		}
		j := i
		for j < end && !separates(text[j], level) {
			j++
		}
		if (i > start || j < end) && level < levelCount-1 && inner(text[i:j], level+1) {
			emit(f.whole(text[i:j]), i, j, classInner)
		}
		descend(text, i, j, level+1, f, emit)
		i = j
	}
}

// inner says that a piece is itself a compound: a separator of the levels from level on
// stands between two of its characters.
func inner(piece string, level int) bool {
	for i := 1; i < len(piece)-1; i++ {
		for l := level; l < levelCount; l++ {
			if separates(piece[i], l) && piece[i] != '\\' {
				return true
			}
		}
	}
	return false
}

// hump says that a word is written like CamelCase or HTMLParser: a capital behind a small
// letter, or behind capitals and before a small letter.
func hump(word string) bool {
	for i := 1; i < len(word); i++ {
		if boundary(word, i) {
			return true
		}
	}
	return false
}

func boundary(word string, i int) bool {
	if !upper(word[i]) {
		return false
	}
	return small(word[i-1]) || upper(word[i-1]) && i+1 < len(word) && small(word[i+1])
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func small(c byte) bool { return c >= 'a' && c <= 'z' }

// emitParts emits the words of CamelCase that have three letters or more.
func emitParts(text string, start, end int, f *folder, emit emitter) {
	from := start
	for i := start + 1; i <= end; i++ {
		if i < end && !boundary(text[start:end], i-start) {
			continue
		}
		if i-from >= 3 && i-from < end-start {
			emitWord(text, from, i, f, classPart, emit)
		}
		from = i
	}
}

func emitWord(text string, start, end int, f *folder, c class, emit emitter) {
	if term := f.word(text[start:end]); term != "" {
		emit(term, start, end, c)
	}
}

// cut keeps a term within maxTerm, at a character's boundary.
func cut(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	n := maxTerm
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return strings.Clone(term[:n])
}
