package knowledge

import "time"

// Scope bounds which addresses a crawl may follow, seen from its start URL.
type Scope string

// The scopes.
const (
	ScopeTree   Scope = "tree"   // same host, under the start URL's folder (the default)
	ScopePrefix Scope = "prefix" // begins with the start URL
	ScopeDomain Scope = "domain" // same registrable domain
	ScopeExact  Scope = "exact"  // that page alone
)

// CrawlSpec is everything a crawl needs to know. The zero limits mean the
// configuration's defaults, which whoever starts the crawl has filled in.
type CrawlSpec struct {
	Start    string // empty for a refresh of pages that were added one by one
	Scope    Scope
	MaxPages int           // documents kept, 304s included
	MaxDepth int           // links away from the start
	Delay    time.Duration // start to start, per host; robots' Crawl-delay may raise it
	Robots   bool          // obey robots.txt; false is an admin's recorded override

	// Known are the pages to visit again, with what makes the request conditional.
	Known map[string]Visit
	// Done and Pending continue an interrupted crawl: Done are addresses whose outcome
	// is on record and that are not fetched again, Pending what was still to be fetched.
	Done    []string
	Pending []Pending
}

// Pending is a discovered address that has not been fetched.
type Pending struct {
	URL   string
	Depth int
}

// Outcome says what became of one address.
type Outcome string

// The outcomes of a visit.
const (
	Fetched     Outcome = "fetched"   // a document, in Visited's fields
	NotModified Outcome = "unchanged" // 304: seen, same as the stored copy
	Redirected  Outcome = "redirect"  // led to an address that is or will be visited under its own name
	Excluded    Outcome = "excluded"  // fetched and followed but not stored: link-only, noindex, empty
	Vanished    Outcome = "gone"      // 404 or 410
	Unfetched   Outcome = "failed"    // see Err
	Skipped     Outcome = "skipped"   // not fetched by rule: robots, or out of scope after a redirect; see Err
)

// Visited is one address's outcome as the crawl yields it, in order of completion.
type Visited struct {
	Requested string // as discovered, normalised
	URL       string // the page's key; differs from Requested after a redirect
	Depth     int
	Outcome   Outcome
	Err       *Error // for Vanished, Unfetched, Skipped; the reason of Excluded

	Title    string
	Lang     string
	Markdown string
	Headings []Heading

	ETag         string
	LastModified string
	At           time.Time

	// Found are in-scope addresses seen here for the first time in this crawl.
	Found []Pending
	// Discovered is how many addresses the crawl knows by now, fetched or not;
	// Bytes is the body's decoded size.
	Discovered int
	Bytes      int64
}
