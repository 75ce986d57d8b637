package siteserver

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// Rule changes what some paths answer. The first rule whose Match and counters fit
// is used. Its JSON form is what cmd/siteserver reads.
type Rule struct {
	Match      string            `json:"match"`                // regular expression on the URL path
	First      int               `json:"first,omitempty"`      // only for the first N requests of a path
	Every      int               `json:"every,omitempty"`      // only for each Nth request of the rule
	Status     int               `json:"status,omitempty"`     // answer this status
	Location   string            `json:"location,omitempty"`   // redirect here ($1 from Match); Status defaults to 302
	RetryAfter string            `json:"retryAfter,omitempty"` // Retry-After header
	DelayMS    int               `json:"delayMs,omitempty"`    // wait before answering
	DripBPS    int               `json:"dripBps,omitempty"`    // send the body at this many bytes a second
	Reset      bool              `json:"reset,omitempty"`      // close the connection without an answer
	Truncate   int               `json:"truncate,omitempty"`   // declare the whole length, send this many bytes, close
	Header     map[string]string `json:"header,omitempty"`
	Body       string            `json:"body,omitempty"`   // answer this body (with Status or 200)
	NoCond     bool              `json:"noCond,omitempty"` // ignore If-None-Match and If-Modified-Since
}

// liveRule is a rule at work. hits is guarded by the server's mutex.
type liveRule struct {
	Rule
	re   *regexp.Regexp
	hits int
}

func compile(r Rule) (*liveRule, error) {
	re, err := regexp.Compile(r.Match)
	if err != nil {
		return nil, fmt.Errorf("rule %q: %w", r.Match, err)
	}
	return &liveRule{Rule: r, re: re}, nil
}

// pick finds the rule for the nth request of path.
func pick(rules []*liveRule, path string, nth int) *liveRule {
	for _, r := range rules {
		if !r.re.MatchString(path) {
			continue
		}
		r.hits++
		if (r.First > 0 && nth > r.First) || (r.Every > 0 && r.hits%r.Every != 0) {
			continue
		}
		return r
	}
	return nil
}

// answer does what the rule says and tells whether that was the whole answer; what
// concerns a document (drip, truncate) is left to Server.send.
func (r *liveRule) answer(w *recorder, req *http.Request) bool {
	sleep(req, time.Duration(r.DelayMS)*time.Millisecond)
	if r.Reset {
		w.status = -1
		panic(http.ErrAbortHandler) // net/http's way to cut the connection
	}
	for k, v := range r.Header {
		w.Header().Set(k, v)
	}
	if r.RetryAfter != "" {
		w.Header().Set("Retry-After", r.RetryAfter)
	}
	if r.Location != "" {
		w.Header().Set("Location", r.re.ReplaceAllString(req.URL.Path, r.Location))
		w.WriteHeader(cmp.Or(r.Status, http.StatusFound))
		return true
	}
	if r.Body == "" && r.Status < 400 && r.Status != http.StatusNoContent {
		return false
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	w.WriteHeader(cmp.Or(r.Status, http.StatusOK))
	put(w, r.Body)
	return true
}
