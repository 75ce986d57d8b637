package knowledge

import (
	"errors"
	"fmt"
)

// Code is the stable name of a refusal, shared by chat, web and logs. Scripts may
// rely on it; it never changes once released. The sentence for people is made where
// the refusal is, since only there is it known what to do.
type Code string

// The refusals.
const (
	InvalidRequest    Code = "invalid_request"
	InvalidURL        Code = "invalid_url"
	SecurityBlocked   Code = "security_blocked"
	ConnectError      Code = "connect_error"
	RobotsDisallowed  Code = "robots_disallowed"
	NotFound          Code = "not_found"
	LibraryExists     Code = "library_exists"
	LibraryBusy       Code = "library_busy"
	CrawlOwnsLibrary  Code = "crawl_owns_library"
	LibraryLimit      Code = "kb_library_limit"
	StorageFull       Code = "kb_storage_full"
	RequestTooLarge   Code = "request_too_large"
	ResourceLimit     Code = "resource_limit"
	PageNotIngested   Code = "page_not_ingested"
	NoSeed            Code = "no_seed"
	ResumeRefused     Code = "resume_refused"
	NotAdmin          Code = "not_admin"
	RateLimited       Code = "rate_limited"
	UnsupportedFormat Code = "unsupported_format"
	CatalogInvalid    Code = "catalog_invalid"
	EmbedderDown      Code = "embedder_unavailable"
	ModelDown         Code = "model_unavailable"
	Internal          Code = "internal_error"
)

// Transient says whether the same request may succeed later without anybody
// changing anything.
func (c Code) Transient() bool {
	switch c {
	case ConnectError, LibraryBusy, CrawlOwnsLibrary, RateLimited, ResourceLimit, EmbedderDown, ModelDown, Internal:
		return true
	}
	return false
}

// ErrLeaseLost means that another owner has taken the job: whoever gets it stops
// writing at once. It is a fault of timing, not a refusal that people see.
var ErrLeaseLost = errors.New("job lease lost to another owner")

// Error is a refusal: an expected outcome with a code and a sentence for people.
// It is logged once, at info or warning, without a trace. Cause, when set, is for
// the log alone.
type Error struct {
	Code   Code
	Reason string // what happened and what to do, for people: "robots.txt of example.com disallows /docs/"
	Cause  error
}

// Error is for the log: code, sentence and cause. People are shown Reason.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s (%v)", e.Code, e.Reason, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Reason)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, &Error{Code: c}) match on the code alone.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Reason == ""
}

// Refuse makes a refusal; reason is a format for people.
func Refuse(code Code, reason string, args ...any) *Error {
	return &Error{Code: code, Reason: fmt.Sprintf(reason, args...)}
}

// CodeOf gives the code in err's chain, Internal for any other error and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
