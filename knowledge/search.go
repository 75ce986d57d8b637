package knowledge

import (
	"strconv"
	"time"
)

// Query is a search.
type Query struct {
	Text      string
	Libraries []string // ids; empty means every active one
	Limit     int      // hits wanted, at most 50; 0 is 8
}

// Scored is a candidate of one channel: a chunk and that channel's score, higher
// is better. Scores of different channels are not comparable.
type Scored struct {
	Chunk int64
	Score float64
}

// Grade is how sure the evidence is.
type Grade string

// The grades. Below GradePossible nothing is shown.
const (
	GradeBest     Grade = "best"
	GradeGood     Grade = "good"
	GradePossible Grade = "possible"
)

// Hit is a chunk that a search found, with the page it stands on. The store fills
// the chunk and the page's part; the search adds evidence, grade and snippet.
type Hit struct {
	Chunk
	Library   string
	PageTitle string
	PageURL   string
	Lang      string
	CheckedAt time.Time

	Evidence float64 // in [0,1]
	Grade    Grade
	Snippet  string // CommonMark, matched words bold, at most 300 characters
	Channel  string // "words", "meaning" or "both"
}

// URL is the address that opens at the hit's section.
func (h Hit) URL() string {
	if h.Anchor == "" {
		return h.PageURL
	}
	return h.PageURL + "#" + h.Anchor
}

// Citation is a passage behind an answer, as the turn's record keeps it.
type Citation struct {
	Chunk    int64   `json:"chunk"`
	Library  string  `json:"library"`
	Title    string  `json:"title"`
	Section  string  `json:"section"`
	URL      string  `json:"url"`
	Evidence float64 `json:"evidence"`
	Channel  string  `json:"channel"`
	Cited    bool    `json:"cited"`
}

// Turn is the record of one answered question.
type Turn struct {
	ID           int64
	Conversation string
	Actor        string
	Question     string
	Outcome      string // "extractive", "nothing"; "model" once there is one
	Passages     []Citation
	At           time.Time
	Latency      time.Duration
}

// Age is how long ago something was, in words for people: "just now", "5 minutes",
// "3 days". What lies in the future, as clocks of two machines may have it, is just now.
func Age(since time.Duration) string {
	const day = 24 * time.Hour
	for _, step := range [...]struct {
		unit time.Duration
		name string
	}{{365 * day, "year"}, {30 * day, "month"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := int(since / step.unit); {
		case n == 1:
			return "1 " + step.name
		case n > 1:
			return strconv.Itoa(n) + " " + step.name + "s"
		}
	}
	return "just now"
}
