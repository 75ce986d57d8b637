package inject

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"footnote/gateway"
	"footnote/knowledge"
)

// address opens at the passage: at its heading's anchor, or, where the page has none there,
// at the words quoted from it. A page's beginning needs neither.
func address(c cited) string {
	if c.hit.Anchor != "" || c.hit.Ordinal == 0 || c.opened == "" {
		return c.hit.URL()
	}
	// A text directive keeps "-", "," and "&" for itself, also where a path may have them.
	words := strings.NewReplacer("-", "%2D", "+", "%20").Replace(url.QueryEscape(c.opened))
	return c.hit.PageURL + "#:~:text=" + words
}

func source(c cited, now time.Time) gateway.Source {
	return gateway.Source{
		Library: c.hit.Library,
		Title:   c.hit.PageTitle,
		Section: c.hit.Breadcrumb(),
		URL:     address(c),
		Age:     knowledge.Age(now.Sub(c.hit.CheckedAt)),
	}
}

// hit is a section to look at when nothing answers: possibly related, whatever its grade.
func hit(h knowledge.Hit, now time.Time) gateway.Hit {
	return gateway.Hit{
		Library:  h.Library,
		Title:    h.PageTitle,
		Section:  h.Breadcrumb(),
		URL:      h.URL(),
		Snippet:  h.Snippet,
		Grade:    string(knowledge.GradePossible),
		Evidence: h.Evidence,
		Age:      knowledge.Age(now.Sub(h.CheckedAt)),
	}
}

// citations is what the turn's record says of the passages that were read.
func citations(hits []knowledge.Hit, used []cited) []knowledge.Citation {
	out := make([]knowledge.Citation, len(hits))
	for i, h := range hits {
		at := slices.IndexFunc(used, func(c cited) bool { return slices.Contains(c.chunks, h.ID) })
		out[i] = knowledge.Citation{
			Chunk: h.ID, Library: h.Library, Title: h.PageTitle, Section: h.Breadcrumb(), URL: h.URL(),
			Evidence: h.Evidence, Channel: h.Channel, Cited: at >= 0,
		}
		if at >= 0 {
			out[i].URL = address(used[at])
		}
	}
	return out
}
