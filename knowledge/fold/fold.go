// Package fold turns text into index terms, the same way for what is stored and for
// what is asked. It runs before the keyword index, which only splits at spaces.
//
// Kind: words. Imports nothing in-repo; the stores and knowledge/search share it.
package fold

import "strings"

// Version is the number of the rules. A store that was indexed under another number
// is rebuilt when it is opened.
const Version = 1

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
}

// Tokens folds text written in lang (a primary BCP 47 tag; "" is English).
func Tokens(text, lang string) []Token {
	var out []Token
	for _, w := range strings.Fields(strings.ToLower(text)) {
		out = append(out, Token{Text: w})
	}
	return out
}

// Index is the folded text as the keyword index stores it: terms between spaces.
func Index(text, lang string) string { return strings.ToLower(text) }

// Question folds a question against libraries written in langs; English is always tried.
func Question(text string, langs ...string) []Term {
	var out []Term
	for _, w := range strings.Fields(strings.ToLower(text)) {
		out = append(out, Term{Word: w, Forms: []string{w}})
	}
	return out
}
