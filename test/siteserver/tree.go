package siteserver

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// document is a body on its way out; name is what its type is read from.
type document struct {
	name string
	body []byte
	mod  time.Time
}

// mounts answers from the first mount that has the path.
func (s *Server) mounts(w *recorder, r *http.Request, rule *liveRule) {
	for _, m := range s.cfg.Mounts {
		at := "/" + strings.Trim(m.At, "/")
		if at != "/" {
			at += "/"
		}
		if r.URL.Path+"/" == at {
			http.Redirect(w, r, at, http.StatusMovedPermanently)
			return
		}
		rel, ok := strings.CutPrefix(r.URL.Path, at)
		if ok && s.file(w, r, rule, filepath.Join(m.Dir, filepath.FromSlash(path.Clean("/"+rel)))) {
			return
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	put(w, "<!doctype html><title>404 Not Found</title><h1>Not Found</h1>")
}

// file answers with the file or folder at name, and false when there is none.
func (s *Server) file(w *recorder, r *http.Request, rule *liveRule, name string) bool {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
			return true
		}
		name = filepath.Join(name, "index.html")
		info, err = os.Stat(name)
	}
	if err != nil {
		name, info, err = variant(name, r)
		if err != nil {
			return false
		}
		lang := strings.TrimPrefix(filepath.Ext(name), ".")
		w.Header().Set("Content-Language", lang)
		w.Header().Set("Vary", "Accept-Language")
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	if plain, ok := strings.CutSuffix(name, ".gz"); ok && strings.HasSuffix(plain, ".html") {
		if unzipped, err := gunzip(body); err == nil {
			name, body = plain, unzipped
		}
	}
	s.send(w, r, rule, document{name, body, info.ModTime()})
	return true
}

// variant finds the language variant of a file, as Apache does: x.html.en for x.html.
func variant(name string, r *http.Request) (string, fs.FileInfo, error) {
	err := error(fs.ErrNotExist)
	for _, lang := range append(acceptedLanguages(r), "en") {
		var info fs.FileInfo
		info, err = os.Stat(name + "." + lang)
		if err == nil && !info.IsDir() {
			return name + "." + lang, info, nil
		}
	}
	return "", nil, err
}

func acceptedLanguages(r *http.Request) []string {
	var out []string
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		lang, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		if lang == "" || strings.ContainsAny(lang, "*/.") {
			continue
		}
		out = append(out, strings.ToLower(lang))
		if base, _, ok := strings.Cut(lang, "-"); ok {
			out = append(out, strings.ToLower(base))
		}
	}
	return out
}

// send answers with a document: validators, compression, and the rule's ways to
// spoil it.
func (s *Server) send(w *recorder, r *http.Request, rule *liveRule, d document) {
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", contentType(d))
	}
	if !s.cfg.NoValidators && unmodified(h, r, rule, d) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := d.body
	if s.cfg.Gzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && strings.HasPrefix(h.Get("Content-Type"), "text/") {
		body = zip(body)
		h.Set("Content-Encoding", "gzip")
		h.Add("Vary", "Accept-Encoding")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if rule == nil {
		rule = &liveRule{}
	}
	if rule.Status > 0 {
		w.WriteHeader(rule.Status)
	}
	switch {
	case r.Method == http.MethodHead:
	case rule.Truncate > 0 && rule.Truncate < len(body):
		put(w, string(body[:rule.Truncate]))
		panic(http.ErrAbortHandler) // net/http's way to cut the connection
	case rule.DripBPS > 0:
		drip(w, r, body, rule.DripBPS)
	default:
		put(w, string(body))
	}
}

// contentType names no charset for HTML, as many hosts do: the page's own <meta>
// must count.
func contentType(d document) string {
	ct := mime.TypeByExtension(filepath.Ext(d.name))
	switch {
	case regexp.MustCompile(`\.html\.[a-z-]+$`).MatchString(d.name), strings.HasPrefix(ct, "text/html"):
		return "text/html"
	case strings.HasSuffix(d.name, ".md"):
		return "text/markdown; charset=utf-8"
	case ct != "":
		return ct
	}
	if strings.HasPrefix(string(d.body), "<") { // a page without an ending, such as a folder's
		return "text/html"
	}
	return http.DetectContentType(d.body)
}

// unmodified sets the validators and says whether the client already has this copy.
func unmodified(h http.Header, r *http.Request, rule *liveRule, d document) bool {
	sum := sha256.Sum256(d.body)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h.Set("ETag", etag)
	h.Set("Last-Modified", d.mod.UTC().Format(http.TimeFormat))
	if rule != nil && rule.NoCond {
		return false
	}
	if given := r.Header.Get("If-None-Match"); given != "" {
		return given == etag || given == "*"
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !d.mod.Truncate(time.Second).After(since)
}

func drip(w *recorder, r *http.Request, body []byte, bps int) {
	flush := http.NewResponseController(w)
	for len(body) > 0 && r.Context().Err() == nil {
		n := min(max(1, bps/10), len(body))
		put(w, string(body[:n]))
		if flush.Flush() != nil {
			return
		}
		body = body[n:]
		sleep(r, 100*time.Millisecond)
	}
}

// zip compresses to memory, where writing cannot fail.
func zip(b []byte) []byte {
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	_, _ = zw.Write(b)
	_ = zw.Close()
	return out.Bytes()
}

func gunzip(b []byte) ([]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zr)
}
