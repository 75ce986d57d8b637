// Package siteserver serves documentation trees over loopback the way real hosts do,
// and misbehaves on request, so that a crawler can be tested against both.
//
// New's Server is the handler of an httptest.Server; cmd/siteserver runs it for
// scripts. Beside the trees it answers /__log (the requests so far, as JSON),
// /__reset and /__set (see Server.Set), which are not logged themselves.
//
// Kind: test support. Only tests and test commands import it.
package siteserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const maxSetBytes = 8 << 20

// Server is an http.Handler that serves a Config. It is safe for concurrent use.
type Server struct {
	cfg   Config
	rules []*liveRule
	pages []listed // what the sitemaps name

	mu       sync.Mutex
	log      []Hit
	seen     map[string]int         // path -> requests so far
	replaced map[string]replacement // path -> what Set put there
	open     int
}

// Config says what is served. The zero value answers 404 to everything.
type Config struct {
	Mounts       []Mount
	Rules        []Rule
	Robots       string        // body of /robots.txt, {base} being the server's address; "auto" allows all and names the sitemap; "" is 404
	Sitemap      string        // "", "flat", "index" or "gzip": what /sitemap.xml is made of
	SitemapChunk int           // pages in one child sitemap; 0 is 1000
	BaseURL      string        // scheme://host for sitemaps and robots; "" is the request's
	NoValidators bool          // send neither ETag nor Last-Modified
	Gzip         bool          // compress text bodies for clients that accept it
	Delay        time.Duration // before every answer
	Cases        bool          // serve /__case/
}

// Mount puts the files under Dir at the URL path At ("/pg/").
type Mount struct{ At, Dir string }

// Hit is one request as the server saw it.
type Hit struct {
	At      time.Time `json:"at"`
	Method  string    `json:"method"`
	Host    string    `json:"host"`
	Path    string    `json:"path"` // with the query
	UA      string    `json:"ua,omitempty"`
	Accept  string    `json:"accept,omitempty"`
	IfNone  string    `json:"ifNoneMatch,omitempty"`
	IfSince string    `json:"ifModifiedSince,omitempty"`
	Status  int       `json:"status"` // -1 for a connection that was cut
	Bytes   int64     `json:"bytes"`
	MS      float64   `json:"ms"`
	Open    int       `json:"open"` // requests under way when this one came, itself included
}

type replacement struct {
	body []byte // nil is 410 Gone
	at   time.Time
}

// New prepares a server: it compiles the rules and lists the trees once, for the
// sitemaps.
func New(cfg Config) (*Server, error) {
	if cfg.SitemapChunk == 0 {
		cfg.SitemapChunk = 1000
	}
	s := &Server{cfg: cfg, seen: map[string]int{}, replaced: map[string]replacement{}}
	for _, r := range cfg.Rules {
		live, err := compile(r)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, live)
	}
	if cfg.Sitemap != "" {
		for _, m := range cfg.Mounts {
			pages, err := list(m)
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", m.Dir, err)
			}
			s.pages = append(s.pages, pages...)
		}
		slices.SortFunc(s.pages, func(a, b listed) int { return strings.Compare(a.path, b.path) })
	}
	return s, nil
}

// Hits returns the finished requests, in the order in which they ended.
func (s *Server) Hits() []Hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Reset forgets the requests, the counters and what Set replaced.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.seen, s.replaced = nil, map[string]int{}, map[string]replacement{}
	for _, r := range s.rules {
		r.hits = 0
	}
}

// Set makes path answer body, also where no file is; nil makes it answer 410.
func (s *Server) Set(path string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replaced[path] = replacement{body, time.Now()}
}

// ServeHTTP answers one request and logs it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.control(w, r) {
		return
	}
	start := time.Now()
	rec := &recorder{ResponseWriter: w}
	hit := Hit{
		At: start, Method: r.Method, Host: r.Host, Path: r.URL.RequestURI(), UA: r.UserAgent(),
		Accept: r.Header.Get("Accept"), IfNone: r.Header.Get("If-None-Match"), IfSince: r.Header.Get("If-Modified-Since"),
	}
	s.mu.Lock()
	s.open++
	hit.Open = s.open
	s.seen[r.URL.Path]++
	nth := s.seen[r.URL.Path]
	rule := pick(s.rules, r.URL.Path, nth)
	s.mu.Unlock()
	defer func() {
		hit.Status, hit.Bytes, hit.MS = rec.status, rec.n, float64(time.Since(start).Microseconds())/1000
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		s.log = append(s.log, hit)
	}()
	sleep(r, s.cfg.Delay)
	s.serve(rec, r, rule, nth)
}

// control answers the server's own addresses.
func (s *Server) control(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/__log":
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(s.Hits()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	case "/__reset":
		s.Reset()
	case "/__set": // POST the body; ?path=/x[&gone=1]
		body, err := io.ReadAll(io.LimitReader(r.Body, maxSetBytes))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return true
		}
		if r.URL.Query().Get("gone") != "" {
			body = nil
		}
		s.Set(r.URL.Query().Get("path"), body)
	default:
		return false
	}
	return true
}

func (s *Server) serve(w *recorder, r *http.Request, rule *liveRule, nth int) {
	if rule != nil && rule.answer(w, r) {
		return
	}
	s.mu.Lock()
	own, replaced := s.replaced[r.URL.Path]
	s.mu.Unlock()
	switch {
	case replaced && own.body == nil:
		http.Error(w, "gone", http.StatusGone)
	case replaced:
		s.send(w, r, rule, document{r.URL.Path, own.body, own.at})
	case r.URL.Path == "/robots.txt":
		s.robots(w, r)
	case strings.HasPrefix(r.URL.Path, "/sitemap") && s.cfg.Sitemap != "":
		s.sitemap(w, r)
	case strings.HasPrefix(r.URL.Path, "/__case/") && s.cfg.Cases:
		serveCase(w, r, nth)
	default:
		s.mounts(w, r, rule)
	}
}

// base is the address that robots.txt and the sitemaps speak of.
func (s *Server) base(r *http.Request) string {
	if s.cfg.BaseURL != "" {
		return strings.TrimRight(s.cfg.BaseURL, "/")
	}
	return "http://" + r.Host
}

// recorder remembers what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	n      int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.n += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// put writes text; a client that hung up is that client's business.
func put(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

// sleep waits, but not for a client that has gone.
func sleep(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.Context().Done():
	}
}
