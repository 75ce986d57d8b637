package knowledge

// CrawlRequest asks for a job: a crawl, one added page, a refresh or a resumption.
// Library is what the person typed; whoever starts the job makes the id of it. The
// fields that a kind of job does not read are left empty: a refresh and a
// resumption take theirs from the library and from the journal.
type CrawlRequest struct {
	Library string
	URL     string
	Scope   Scope // empty is the configured default
	// MaxPages is the number asked for; 0 is the configured default, and what lies
	// above the configured cap is lowered to it.
	MaxPages int
	// IgnoreRobots is an admin's override for this job; the journal records it.
	IgnoreRobots bool

	By      string // who asks, in the configuration's spelling; empty for the scheduler
	ReplyTo string // where the outcome is announced; empty announces nowhere

	// Progress is told how far the job has come, one call at a time and some left
	// out: the latest counts. Its last call carries the job in its terminal state and
	// returns before the outcome is announced. Nil is fine.
	Progress func(Job)
}

// CrawlStarted says that a job is under way.
type CrawlStarted struct {
	Job Job
	// Asked is the number of pages that was asked for; it is above Job.MaxPages when
	// the configured cap lowered it.
	Asked int
}

// Lowered says that fewer pages will be kept than were asked for.
func (s CrawlStarted) Lowered() bool { return s.Asked > s.Job.MaxPages }

// PageAdded says what became of a page that was added by itself.
type PageAdded struct {
	Job    Job
	Stored Stored
	URL    string // the page's key, after redirects
	Title  string
	Chunks int
}

// Visited is how many addresses the job has an outcome for.
func (c Counts) Visited() int {
	return c.Kept() + c.Excluded + c.Redirects + c.GonePages + c.Failures + c.Skipped
}

// Waiting is how many addresses the job knew and did not visit: what a crawl that
// stopped at its number left behind.
func (c Counts) Waiting() int { return max(0, c.Discovered-c.Visited()) }
