// Package fold turns text into index terms, the same way for what is stored and for
// what is asked. It runs before the keyword index, which only splits at spaces.
//
// A word is brought to NFKC and lower case. Its script decides the rest: Latin words
// lose their diacritics and are stemmed by the page's language (English when it has no
// stemmer), Cyrillic ones by the Russian stemmer, Arabic ones are normalised and lose
// light affixes, and scripts without spaces become single characters and bigrams.
// A compound identifier (max_connections, --no-verify, a.b.c, CamelCase, /etc/pg_hba.conf,
// C++) is one term as a whole, unstemmed, and one for every part.
//
// The alphabet of a term: Unicode letters, marks and numbers, and the ten characters
// _ - . : / + # @ $ and nothing else; no upper case, no space, at most 96 bytes. A keyword
// index must keep all of it in one token and must not fold it again; of FTS5's tokenizers
// `ascii` does, with those characters as tokenchars, since it takes every byte above
// 127 for a letter.
//
// Kind: words. Imports nothing in-repo; the stores and knowledge/search share it.
package fold

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Version is the number of the rules. A store that was indexed under another number
// is rebuilt when it is opened.
const Version = 3

// Token is one index term and the bytes of the text that it came from. A compound
// identifier yields one token for the whole and one for each part, over their own bytes.
type Token struct {
	Text       string
	Start, End int
}

// Term is one word of a question. Forms are the index terms that match it, any one
// being enough (several stemmers, or an identifier's spellings).
type Term struct {
	Word       string // as typed
	Forms      []string
	Stop       bool // a function word: counts only when the question has nothing else
	Identifier bool // a compound name such as max_connections or --no-verify
	// Part marks a piece of the last term before it that is not a part itself: a text that
	// holds that compound holds its parts.
	Part bool
}

// Tokens folds text written in lang (a primary BCP 47 tag; "" is English). The order is
// that of the text; a compound comes before its parts, and spans may overlap.
func Tokens(text, lang string) []Token {
	out := make([]Token, 0, len(text)/5)
	scan(text, newFolder(lang, len(text)), func(term string, start, end int, _ class) {
		out = append(out, Token{Text: term, Start: start, End: end})
	})
	return out
}

// Index is the folded text as the keyword index stores it: the terms of Tokens between
// single spaces.
func Index(text, lang string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	scan(text, newFolder(lang, len(text)), func(term string, _, _ int, _ class) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(term)
	})
	return b.String()
}

// Question folds a question against libraries written in langs; English is always tried.
// Every word comes once, in the order of first mention. A compound name comes as a whole
// and then by its parts, which are marked as such.
func Question(text string, langs ...string) []Term {
	folders := []*folder{newFolder("en", len(text))}
	for _, lang := range langs {
		if !slices.ContainsFunc(folders, func(f *folder) bool { return f.lang == canonical(lang) }) {
			folders = append(folders, newFolder(lang, len(text)))
		}
	}
	shouted := !strings.ContainsFunc(text, unicode.IsLower)
	var out []Term
	scan(text, folders[0], func(term string, start, end int, c class) {
		if c == classSingle {
			return // the bigram around it says more
		}
		word := text[start:end]
		t := Term{Word: word, Forms: []string{term}, Identifier: c == classWhole || c == classInner || c == classCamel, Part: c == classPart || c == classInner}
		switch c {
		case classWhole:
			t.Forms = appendNew(t.Forms, spellings(term)...)
		case classWord, classCamel, classPart:
			for _, f := range folders[1:] {
				t.Forms = appendNew(t.Forms, f.word(word))
			}
			for _, f := range folders {
				t.Forms = appendNew(t.Forms, f.word(stripDiacritics(strings.ToLower(word))))
			}
			t.Stop = isStop(plain(word), folders) && (shouted || !allCaps(word)) || quantity(plain(word), text[end:])
		}
		if !slices.ContainsFunc(out, func(o Term) bool { return slices.Equal(o.Forms, t.Forms) }) {
			out = append(out, t)
		}
	})
	return out
}

// spellings are other ways to write a compound: an option without its dashes, a
// hyphenated word in one piece.
func spellings(whole string) []string {
	var out []string
	bare := strings.TrimLeft(whole, "-@$#/.")
	if bare != whole && strings.ContainsAny(bare, "_-.:/") {
		out = append(out, bare)
	}
	if joined := strings.ReplaceAll(bare, "-", ""); joined != bare && !strings.ContainsFunc(joined, func(r rune) bool { return !unicode.IsLetter(r) }) {
		out = append(out, newFolder("en", 0).word(joined))
	}
	return out
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// allCaps says that a word is written in capitals, as SQL's keywords are: such a word is
// meant, even where it is spelled like a function word.
func allCaps(word string) bool {
	return utf8.RuneCountInString(word) > 1 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsUpper(r) })
}
