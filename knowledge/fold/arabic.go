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

// minStem is how many letters an affix must leave.
const minStem = 3

// lightStem takes off one prefix (the article, alone or behind a particle) and the common
// suffixes.
func lightStem(w string) string {
	letters := utf8.RuneCountInString(w)
	if letters <= minStem {
		return w
	}
	for _, p := range [...]string{"وال", "بال", "كال", "فال", "ال", "لل", "و"} {
		n := utf8.RuneCountInString(p)
		if p == "و" && letters-n == minStem {
			break // as often the word's own first letter as "and"
		}
		if strings.HasPrefix(w, p) && letters-n >= minStem {
			w, letters = w[len(p):], letters-n
			break
		}
	}
	for _, s := range [...]string{"ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"} {
		if n := utf8.RuneCountInString(s); strings.HasSuffix(w, s) && letters-n >= minStem {
			w, letters = w[:len(w)-len(s)], letters-n
		}
	}
	return w
}
