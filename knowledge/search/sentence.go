package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences gives the bounds of the sentences of a block's text, white space around them
// left out. They end at . ! ? and their like before a space and a new beginning, not behind
// the usual abbreviations.
func Sentences(text string) [][2]int {
	var out [][2]int
	start := 0
	add := func(end int) {
		from := start + len(text[start:end]) - len(strings.TrimLeft(text[start:end], " "))
		to := from + len(strings.TrimRight(text[from:end], " "))
		if from < to {
			out = append(out, [2]int{from, to})
		}
		start = end
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if i < start {
			continue
		}
		switch r {
		case '。', '！', '？':
			add(end)
		case '.', '!', '?', '؟', '…':
			for end < len(text) && strings.IndexByte(`.!?"')`, text[end]) >= 0 {
				end++
			}
			if end < len(text) && text[end] == ' ' && begins(text[end+1:]) && !abbreviated(text[start:i], r) {
				add(end)
			}
		}
	}
	add(len(text))
	return out
}

// begins says that a sentence may begin with this text: not with a small letter.
func begins(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLower(r)
}

// abbreviated says that the dot behind this text is part of its last word.
func abbreviated(before string, r rune) bool {
	if r != '.' {
		return false
	}
	word := before[strings.LastIndexByte(before, ' ')+1:]
	word = strings.TrimLeft(strings.ToLower(word), "(\"'")
	switch word {
	case "e.g", "i.e", "etc", "cf", "vs", "no", "fig", "sec", "chap", "mr", "mrs", "ms", "dr", "prof", "st", "approx", "z.b", "d.h", "bzw", "p", "pp":
		return true
	}
	return len(word) == 1 && word[0] >= 'a' && word[0] <= 'z'
}
