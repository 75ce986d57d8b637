package search

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"footnote/knowledge"
)

// floorsJSON holds every number that decides what is shown. They are tuned on development
// sets only; a change of them is a change of Version.
//
//go:embed floors.json
var floorsJSON []byte

// scale is how features become evidence, and evidence a grade.
type scale struct {
	Version  int     `json:"version"`
	Channel  string  `json:"channel"` // what it was tuned for: "words"
	Data     string  `json:"data"`    // the development sets, and their day
	Weights  weights `json:"weights"`
	Held     float64 `json:"held"` // least share of the question's weight
	Best     float64 `json:"best"` // least evidence for each grade
	Good     float64 `json:"good"`
	Possible float64 `json:"possible"`
	Behind   float64 `json:"behind"` // least share of the best hit's evidence
}

type weights struct {
	Held    float64 `json:"held"`
	Match   float64 `json:"match"`
	Heading float64 `json:"heading"`
	Section float64 `json:"section"`
	Near    float64 `json:"near"`
	Opens   float64 `json:"opens"`
}

func (w weights) sum(f features) float64 {
	return w.Held*f.Held + w.Match*f.Match + w.Heading*f.Heading + w.Section*f.Section + w.Near*f.Near + w.Opens*f.Opens
}

func readScale(data []byte) (scale, error) {
	var s scale
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read floors: %w", err)
	}
	return s, nil
}

// order sorts by evidence; the chunk that alone answers everything comes first, and equals
// keep the order of their pages.
func order(list []measured) {
	slices.SortStableFunc(list, func(a, b measured) int {
		switch {
		case a.rare != b.rare:
			if a.rare {
				return -1
			}
			return 1
		case a.Evidence > b.Evidence:
			return -1
		case a.Evidence < b.Evidence:
			return 1
		}
		return 0
	})
}

// judge decides what is shown.
func (s scale) judge(list []measured, limit int) Result {
	order(list)
	var r Result
	var kept []measured
	pages := map[string]int{}
	for _, m := range list {
		if m.rare {
			m.Evidence = max(m.Evidence, s.Best)
		}
		m.Grade = s.grade(m)
		page := m.Library + "\x00" + m.PageURL
		if m.Grade == "" || pages[page] == perPage || slices.ContainsFunc(kept, m.copies) {
			continue
		}
		if len(kept) > 0 && m.Evidence < s.Behind*kept[0].Evidence {
			continue
		}
		if m.Grade == knowledge.GradePossible {
			if len(r.Related) == maxRelated {
				continue
			}
			r.Related = append(r.Related, m.Hit)
		} else {
			r.Hits = append(r.Hits, m.Hit)
		}
		pages[page]++
		if kept = append(kept, m); len(kept) == limit {
			break
		}
	}
	return r
}

// grade is empty for what is not shown.
func (s scale) grade(m measured) knowledge.Grade {
	switch {
	case m.Held < s.Held || m.Evidence < s.Possible:
		return ""
	case m.Evidence >= s.Best:
		return knowledge.GradeBest
	case m.Evidence >= s.Good:
		return knowledge.GradeGood
	}
	return knowledge.GradePossible
}

// copies says that two chunks of a library have the same text, but for a word in twenty.
func (m measured) copies(o measured) bool {
	if m.Library != o.Library || m.Text != o.Text && len(m.terms) < 20 {
		return false
	}
	if m.Text == o.Text {
		return true
	}
	common := 0
	for i, j := 0, 0; i < len(m.terms) && j < len(o.terms); {
		switch {
		case m.terms[i] == o.terms[j]:
			common, i, j = common+1, i+1, j+1
		case m.terms[i] < o.terms[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) >= 0.95*float64(len(m.terms)+len(o.terms)-common)
}
