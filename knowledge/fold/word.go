package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"
)

type stemmer func(*snowballstem.Env) bool

// stemmers gives the Snowball algorithm for words in Latin letters, English for languages
// that it has none for.
func stemmers(lang string) stemmer {
	switch lang {
	case "da":
		return danish.Stem
	case "nl":
		return dutch.Stem
	case "fi":
		return finnish.Stem
	case "fr":
		return french.Stem
	case "de":
		return german.Stem
	case "hu":
		return hungarian.Stem
	case "ga":
		return irish.Stem
	case "it":
		return italian.Stem
	case "no":
		return norwegian.Stem
	case "pt":
		return portuguese.Stem
	case "ro":
		return romanian.Stem
	case "es":
		return spanish.Stem
	case "sv":
		return swedish.Stem
	case "tr":
		return turkish.Stem
	}
	return english.Stem
}

// canonical reduces a language tag to what the rules tell apart: "de-AT" is "de", Norwegian
// has three names, and every language without a stemmer is read as English.
func canonical(lang string) string {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	switch lang {
	case "nb", "nn":
		return "no"
	case "da", "nl", "fi", "fr", "de", "hu", "ga", "it", "no", "pt", "ro", "es", "sv", "tr":
		return lang
	}
	return "en"
}

// folder folds words of one language. It remembers what it has folded: a page repeats
// its words, and a stemmer is slow beside a look-up. Not safe for concurrent use.
type folder struct {
	lang string
	stem stemmer
	// accents says that the stemmer's rules know the language's diacritics, which are then
	// removed after it rather than before.
	accents bool
	seen    map[string]string
}

// maxSeen bounds a folder's memory; the words of a page are fewer.
const maxSeen = 8192

// newFolder makes a folder for a text of size bytes.
func newFolder(lang string, size int) *folder {
	lang = canonical(lang)
	return &folder{
		lang:    lang,
		stem:    stemmers(lang),
		accents: lang != "en",
		seen:    make(map[string]string, min(size/8, maxSeen)),
	}
}

// word folds one word, without separators, to its term; "" when nothing is left.
func (f *folder) word(w string) string {
	if t, ok := f.seen[w]; ok {
		return t
	}
	t := cut(f.fold(w))
	if len(f.seen) < maxSeen {
		f.seen[w] = t
	}
	return t
}

func (f *folder) fold(w string) string {
	if ascii(w) {
		w = strings.ToLower(w)
		if len(w) < 3 || !small(w[0]) || len(w) > 40 {
			return w
		}
		return f.run(f.stem, w)
	}
	w = compose(w)
	switch script(w) {
	case unicode.Arabic:
		return arabic(w)
	case unicode.Cyrillic:
		return f.run(russian.Stem, strings.ReplaceAll(w, "ё", "е"))
	case unicode.Latin:
		if !f.accents {
			w = stripDiacritics(w)
		}
		return stripDiacritics(f.run(f.stem, w))
	case unicode.Greek, unicode.Hebrew:
		return stripDiacritics(w)
	}
	return w
}

func (f *folder) run(s stemmer, w string) string {
	env := snowballstem.NewEnv(w)
	s(env)
	if env.Current() == "" {
		return w
	}
	return env.Current()
}

// whole folds an identifier: as a word, but unstemmed.
func (f *folder) whole(w string) string { return cut(plain(w)) }

// dense folds a character or bigram of a script without spaces.
func (f *folder) dense(w string) string { return cut(compose(w)) }

// plain is a word in lower case without diacritics, unstemmed.
func plain(w string) string {
	if ascii(w) {
		return strings.ReplaceAll(strings.ToLower(w), `\`, "")
	}
	w = compose(w)
	if script(w) == unicode.Arabic {
		return arabicLetters(w)
	}
	return stripDiacritics(w)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// script is that of the first letter: a word is written in one.
func script(w string) *unicode.RangeTable {
	for _, r := range w {
		if r < utf8.RuneSelf {
			if small(byte(r)) {
				return unicode.Latin
			}
			continue
		}
		for _, t := range [...]*unicode.RangeTable{unicode.Latin, unicode.Arabic, unicode.Cyrillic, unicode.Greek, unicode.Hebrew} {
			if unicode.Is(t, r) {
				return t
			}
		}
		if unicode.IsLetter(r) {
			return nil
		}
	}
	return nil
}

// compose is NFKC in lower case, with what does not belong to a term taken out.
func compose(w string) string {
	w = norm.NFKC.String(strings.ToLower(norm.NFKC.String(w)))
	return strings.Map(func(r rune) rune {
		switch k := kindOf(r); {
		case k == kindOther, k == kindSilent:
			return -1
		case r >= '٠' && r <= '٩':
			return r - '٠' + '0'
		case r >= '۰' && r <= '۹':
			return r - '۰' + '0'
		}
		return r
	}, w)
}

// stripDiacritics takes the marks off Latin, Greek and Hebrew letters, and spells out the Latin
// ones that are not a letter and a mark.
func stripDiacritics(w string) string {
	if ascii(w) {
		return w
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(w) {
		switch r {
		case 'ß':
			b.WriteString("ss")
		case 'æ':
			b.WriteString("ae")
		case 'œ':
			b.WriteString("oe")
		case 'ø':
			b.WriteByte('o')
		case 'ł':
			b.WriteByte('l')
		case 'đ', 'ð':
			b.WriteByte('d')
		case 'þ':
			b.WriteString("th")
		case 'ı':
			b.WriteByte('i')
		default:
			if !unicode.Is(unicode.Mn, r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
