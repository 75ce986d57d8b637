package console

import (
	"slices"
	"strings"
)

// complete finishes the word that head ends with: "/kb", then a subcommand. With one
// candidate that is the word and a space; with several, what they have in common.
func complete(head string, subcommands []string) (completed string, candidates []string) {
	start := strings.LastIndexByte(head, ' ') + 1
	before, typed := head[:start], strings.ToLower(head[start:])
	words := subcommands
	switch before {
	case "":
		if typed == "" {
			return head, nil
		}
		words = []string{"/kb"}
	default:
		if fields := strings.Fields(before); len(fields) != 1 || !strings.EqualFold(fields[0], "/kb") {
			return head, nil
		}
	}
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			candidates = append(candidates, w)
		}
	}
	slices.Sort(candidates)
	switch len(candidates) {
	case 0:
		return head, nil
	case 1:
		return before + candidates[0] + " ", candidates
	}
	return before + commonPrefix(candidates), candidates
}

// commonPrefix is what every word of a sorted list begins with: what the first and the
// last begin with.
func commonPrefix(sorted []string) string {
	first, last := sorted[0], sorted[len(sorted)-1]
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return first[:n]
}
