// Package knowledge is the vocabulary of the library: Library, Page, Chunk, Hit,
// Citation, Job, Turn, and the refusals with their codes. It holds types and pure
// functions only, so that every other room of the house can share these words.
//
// Kind: words. Imports nothing in-repo.
package knowledge

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxLibraryID is the longest library id, in characters.
const MaxLibraryID = 48

// Kind says where a library's text comes from.
type Kind string

// The kinds of library.
const (
	Docs    Kind = "docs"    // crawled
	Files   Kind = "files"   // uploads
	Notes   Kind = "notes"   // episodes from chat
	Catalog Kind = "catalog" // an installed .gezk, read-only
)

// Library is a named set of pages that is searched, refreshed and deleted as one.
type Library struct {
	ID       string // slug, see LibraryID
	Title    string // as the admin typed it
	Kind     Kind
	StartURL string // where refresh begins; empty when pages were only added one by one
	Scope    Scope
	MaxPages int // the number the last crawl was given

	AutoInject bool // put before the model unasked
	Nightly    bool // refreshed by the nightly job
	Archived   bool // hidden from list, injection and cross-library search

	CreatedAt time.Time
	CheckedAt time.Time // latest time any of its pages was seen at its source

	// Counts, filled in by the store on read.
	Pages, Chunks, Gone int
}

// LibraryID turns what an admin typed into a slug of [a-z0-9_-], at most
// MaxLibraryID characters: "Meta WhatsApp Docs" becomes "meta_whatsapp_docs".
// It refuses (InvalidRequest) what leaves nothing.
func LibraryID(name string) (string, error) {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(strings.TrimSpace(name))) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		default:
			gap = true
		}
	}
	id := b.String()
	if len(id) > MaxLibraryID {
		id = strings.TrimRight(id[:MaxLibraryID], "_-")
	}
	if strings.Trim(id, "_-") == "" {
		return "", Refuse(InvalidRequest, "%q is not a library name: use letters a-z, digits, - or _", name)
	}
	return id, nil
}

// Page is one document of a library at the address it was served from.
type Page struct {
	ID       int64
	Library  string
	URL      string // the page's key: final address, normalised, without fragment
	Title    string
	Lang     string // BCP 47 primary tag, "en" where the page names none
	Markdown string
	// Digest is the hash over the ordered chunks; a page with the same digest is
	// unchanged and nothing of it is written.
	Digest string

	ChangedAt time.Time // when this text was stored
	Visit
}

// Visit is what the latest look at a page's source found. It is kept apart from the
// page itself so that an unchanged page is not written.
type Visit struct {
	ETag         string
	LastModified string
	CheckedAt    time.Time
	GoneSince    time.Time // first refresh that got 404 or 410; zero while the page lives
	Gone         bool      // seen gone on two refreshes: out of answers
}

// TermLevel is the level of a mark that is no heading: the term of a definition list
// that has an anchor of its own, as in a list of settings. A passage may begin at it.
const TermLevel = 7

// Heading is a section's title in a page's Markdown, or such a mark.
type Heading struct {
	Level  int    // 1 to 6, or TermLevel
	Text   string // one line, no markup
	Anchor string // the id that a link opens at, empty when the page gave none
	Line   int    // 1-based line in the Markdown
}

// Chunk is a passage of a page: the unit that is indexed, ranked and cited.
type Chunk struct {
	ID      int64 // given by the store; the library is part of it
	PageID  int64
	Ordinal int      // position in the page, from 0
	Path    []string // breadcrumb of headings, outermost first
	Anchor  string   // of the nearest heading that has one, empty for the page's top
	// FirstLine and LastLine are 1-based, inclusive lines of the page's Markdown.
	FirstLine, LastLine int
	Text                string
}

// Breadcrumb is the chunk's path as people see it.
func (c Chunk) Breadcrumb() string { return strings.Join(c.Path, " > ") }
