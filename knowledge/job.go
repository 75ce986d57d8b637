package knowledge

import (
	"strings"
	"time"
)

// JobKind says what a job does.
type JobKind string

// The kinds of job.
const (
	JobAdd     JobKind = "add"
	JobCrawl   JobKind = "crawl"
	JobRefresh JobKind = "refresh"
)

// JobState is where a job stands. Every job ends in a terminal state.
type JobState string

// Running is the only state that is not terminal; Interrupted can be resumed.
const (
	Running     JobState = "running"
	Completed   JobState = "completed"
	Partial     JobState = "partial" // finished, with failures
	Failed      JobState = "failed"
	Cancelled   JobState = "cancelled"
	Interrupted JobState = "interrupted"
)

// Terminal says that the job will not change by itself any more.
func (s JobState) Terminal() bool { return s != Running }

// Owner is who runs a job: one process of one install on one host. A process is
// named by its number and its start time, so that a reused number is another owner.
type Owner struct {
	Install string
	Host    string
	Process string // "4711@1764555000"
}

// String is the form in which the journal keeps it.
func (o Owner) String() string { return o.Install + "/" + o.Host + "/" + o.Process }

// OwnerName names the process of an owner that the journal keeps, for people:
// "process 4711 on vm".
func OwnerName(owner string) string {
	parts := strings.Split(owner, "/")
	if len(parts) != 3 {
		return "unknown process"
	}
	number, _, _ := strings.Cut(parts[2], "@")
	return "process " + number + " on " + parts[1]
}

// Job is one row of the journal.
type Job struct {
	ID       int64
	Library  string
	Title    string // the library's name as typed, for the library this job may create
	Kind     JobKind
	Start    string
	Scope    Scope
	MaxPages int
	Robots   bool
	State    JobState
	Reason   string // why it ended, for people; empty when all went well
	Code     Code   // of Reason, when it was a refusal

	// ReplyTo is the chat's address in its adapter's own spelling; the journal keeps
	// it so that the outcome arrives there, also after a restart. Announced is when it did.
	ReplyTo   string
	Announced bool
	By        string // who asked, "slack:T1/U1"; empty for the scheduler

	Owner      string
	LeaseUntil time.Time
	StartedAt  time.Time
	UpdatedAt  time.Time
	EndedAt    time.Time

	Counts
}

// Counts is what a job has done so far.
type Counts struct {
	New, Changed, Unchanged int // documents kept
	Excluded, Redirects     int
	GonePages               int
	Failures, Skipped       int
	Discovered              int // addresses known, fetched or not
	Chunks                  int
}

// Kept is how many documents the job has stored or found unchanged: the number that
// a crawl's limit counts.
func (c Counts) Kept() int { return c.New + c.Changed + c.Unchanged }

// Failure is one address of a job that was not ingested, and why.
type Failure struct {
	URL    string
	Code   Code
	Reason string
	At     time.Time
}

// Stored says what publishing a page did.
type Stored string

// The results of a publication. StoredNothing is a visit that had no document.
const (
	StoredNew       Stored = "new"
	StoredChanged   Stored = "replaced"
	StoredUnchanged Stored = "unchanged"
	StoredNothing   Stored = ""
)

// Publication is one visit to be recorded in one transaction: the page with its
// chunks where there is a document, the visit, and the job's journal line. A reader
// sees the old page or the new one, and a job never forgets what it stored.
type Publication struct {
	Job     Job // ID, Owner, Library and what a new library is made of
	Visited Visited
	Page    Page    // set when Visited.Outcome is Fetched
	Chunks  []Chunk // of Page
}
