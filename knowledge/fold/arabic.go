package fold

import (
	"strings"
	"unicode/utf8"
)

// arabic normalises a word and takes off light affixes while three letters remain.
func arabic(w string) string { return lightStem(arabicLetters(w)) }

// arabicLetters brings the spellings of a letter together and drops what readers leave
// out: vowel marks and the tatweel.
func arabicLetters(w string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'أ', r == 'إ', r == 'آ', r == 'ٱ':
			return 'ا'
		case r == 'ى', r == 'ی':
			return 'ي'
		case r == 'ة':
			return 'ه'
		case r == 'ک':
			return 'ك'
		case r == 'ـ', r >= 0x064B && r <= 0x065F, r == 0x0670, r >= 0x0610 && r <= 0x061A, r >= 0x06D6 && r <= 0x06ED:
			return -1
		}
		return r
	}, w)
}

// minStem is how many letters an affix must leave; a single letter in front, as often the
// word's own first as a particle, must leave one more.
const minStem = 3

// lightStem takes off the article, alone or behind a particle, then particles of one
// letter, so that a word and the same word with its article end alike; then the common suffixes.
func lightStem(w string) string {
	letters := utf8.RuneCountInString(w)
	strip := func(affix string, least int, cut func(string, string) (string, bool)) bool {
		n := utf8.RuneCountInString(affix)
		if letters-n < least {
			return false
		}
		rest, ok := cut(w, affix)
		if ok {
			w, letters = rest, letters-n
		}
		return ok
	}
	for _, p := range [...]string{"وال", "بال", "كال", "فال", "ال", "لل"} {
		if strip(p, minStem, strings.CutPrefix) {
			break
		}
	}
	for _, p := range [...]string{"و", "ف", "ب", "ل", "ك"} {
		strip(p, minStem+1, strings.CutPrefix)
	}
	for _, s := range [...]string{"هم", "ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي", "ا"} {
		strip(s, minStem, strings.CutSuffix)
	}
	return w
}
