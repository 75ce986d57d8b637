package crawl

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// maxRobots is how much of a robots.txt is read, as RFC 9309 asks at least.
	maxRobots = 500 << 10
	// maxRobotsHops is how many redirects lead to a robots.txt.
	maxRobotsHops = 5
	// maxCrawlDelay caps what a site may ask for: a larger one would never end.
	maxCrawlDelay = 30 * time.Second
)

// robots are the rules of one robots.txt for one product token. The zero value allows
// everything.
type robots struct {
	rules    []robotsRule
	delay    time.Duration // Crawl-delay, capped; 0 when none
	sitemaps []string      // as written
}

type robotsRule struct {
	pattern string // normalised, with * and a final $
	allow   bool
}

// parseRobots reads a robots.txt by RFC 9309: the groups that name token are merged,
// those of * count only where there are none. Beyond the RFC it understands Crawl-delay
// and Sitemap lines, a missing colon, the commonest misspellings and UTF-16. It never
// fails: what it cannot read is no rule.
func parseRobots(body []byte, token string) robots {
	p := robotsParser{token: token}
	text, _, err := transform.Bytes(unicode.BOMOverride(encoding.Nop.NewDecoder()), body)
	if err != nil {
		text = body
	}
	lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range lines {
		p.line(line)
	}
	out := p.general
	if p.named {
		out = p.specific
	}
	out.sitemaps = p.sitemaps
	return out
}

// robotsParser is where the reading of a file stands: which agents the present group
// is for, and whether it has had a rule, so that the next agent begins a new one.
type robotsParser struct {
	token             string
	specific, general robots
	named             bool // some group names the token
	forUs, forAll     bool
	closed            bool
	sitemaps          []string
}

func (p *robotsParser) line(line string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok := strings.Cut(line, ":")
	if !ok { // "disallow /": forgiven when it is exactly two words
		words := strings.Fields(line)
		if len(words) != 2 {
			return
		}
		key, value = words[0], words[1]
	}
	value = strings.TrimSpace(value)
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "user-agent", "useragent", "user agent":
		p.agent(value)
	case "allow":
		p.rule(value, true)
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		p.rule(value, false)
	case "crawl-delay", "crawldelay":
		p.crawlDelay(value)
	case "sitemap", "site-map":
		if value != "" {
			p.sitemaps = append(p.sitemaps, value)
		}
	}
}

func (p *robotsParser) agent(value string) {
	if p.closed {
		p.forUs, p.forAll, p.closed = false, false, false
	}
	if value == "*" || strings.HasPrefix(value, "* ") {
		p.forAll = true
		return
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-", r)
	})
	if end < 0 {
		end = len(value)
	}
	if strings.EqualFold(value[:end], p.token) {
		p.forUs, p.named = true, true
	}
}

func (p *robotsParser) rule(value string, allow bool) {
	p.closed = true
	if value == "" { // "Disallow:" disallows nothing
		return
	}
	r := robotsRule{normalEscapes(value), allow}
	if p.forUs {
		p.specific.rules = append(p.specific.rules, r)
	}
	if p.forAll {
		p.general.rules = append(p.general.rules, r)
	}
}

func (p *robotsParser) crawlDelay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds > 0) {
		return
	}
	d := maxCrawlDelay
	if seconds < maxCrawlDelay.Seconds() {
		d = time.Duration(seconds * float64(time.Second))
	}
	if p.forUs {
		p.specific.delay = max(p.specific.delay, d)
	}
	if p.forAll {
		p.general.delay = max(p.general.delay, d)
	}
}

// allows says whether a path, escaped and with its query, may be fetched: the longest
// pattern that matches decides, Allow on a tie.
func (r robots) allows(path string) bool {
	if path == "/robots.txt" {
		return true
	}
	path = normalEscapes(path)
	longest, allowed := -1, true
	for _, rule := range r.rules {
		n := len(rule.pattern)
		if n < longest || (n == longest && (allowed || !rule.allow)) || !matches(rule.pattern, path) {
			continue
		}
		longest, allowed = n, rule.allow
	}
	return allowed
}

// matches holds a pattern against the beginning of path. * is any run of characters,
// $ at the end is the end of the path. It takes the leftmost place for each piece,
// which is right since a * may always take more, except before a final $, where the
// piece must be the path's end.
func matches(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, pieces[0])
	if !ok {
		return false
	}
	if len(pieces) == 1 {
		return !anchored || rest == ""
	}
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	last := pieces[len(pieces)-1]
	if anchored {
		return strings.HasSuffix(rest, last)
	}
	return strings.Contains(rest, last)
}

// normalEscapes gives a path or pattern its one spelling: non-ASCII bytes escaped,
// escapes in capitals, and unreserved characters plain, as RFC 9309 section 2.2.2 and
// RFC 3986 have it.
func normalEscapes(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] == '%' || s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				i += 2
				if unreserved(byte(n)) {
					b.WriteByte(byte(n))
				} else {
					b.WriteString("%" + string(digits[n>>4]) + string(digits[n&15]))
				}
				continue
			}
		}
		if c >= utf8.RuneSelf {
			b.WriteString("%" + string(digits[c>>4]) + string(digits[c&15]))
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
