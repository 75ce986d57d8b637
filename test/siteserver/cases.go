package siteserver

import (
	"fmt"
	"net/http"
	"strings"
)

// Case is one page or trap under /__case/ and what a crawler should make of it.
type Case struct {
	Path string // after /__case/, with the query that makes it interesting
	Want string
	// Endless marks an answer that a plain client must not wait for.
	Endless bool
	serve   func(visit)
}

// visit is one request of a case: rest is the path below its name, nth counts the
// requests of this path.
type visit struct {
	w    http.ResponseWriter
	r    *http.Request
	rest string
	nth  int
}

// page answers with a small document.
func (v visit) page(title, body string) {
	v.raw(fmt.Sprintf("<!doctype html><html><head><title>%s</title></head><body><main><h1>%s</h1>%s</main></body></html>", title, title, body))
}

// raw answers with HTML as it is.
func (v visit) raw(html string) {
	if v.w.Header().Get("Content-Type") == "" {
		v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	put(v.w, html)
}

// unlabelled answers with HTML whose header names no charset.
func (v visit) unlabelled(html string) {
	v.w.Header().Set("Content-Type", "text/html")
	put(v.w, html)
}

// Cases lists what /__case/ serves; GET /__case/ is the same list as a page.
func Cases() []Case {
	var all []Case
	for _, group := range [][]Case{redirectCases(), trapCases(), refusalCases(), limitCases(), pageCases(), typeCases()} {
		all = append(all, group...)
	}
	return all
}

// serveCase answers /__case/NAME and what is below it.
func serveCase(w http.ResponseWriter, r *http.Request, nth int) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/__case/"), "/")
	v := visit{w, r, rest, nth}
	if name == "" {
		var b strings.Builder
		for _, c := range Cases() {
			fmt.Fprintf(&b, `<li><a href="/__case/%s">%s</a>: %s</li>`, c.Path, c.Path, c.Want)
		}
		v.page("Cases", "<ul>"+b.String()+"</ul>")
		return
	}
	for _, c := range Cases() {
		if name == c.name() {
			c.serve(v)
			return
		}
	}
	http.NotFound(w, r)
}

// name is the first segment of the case's path.
func (c Case) name() string {
	if i := strings.IndexAny(c.Path, "/?"); i >= 0 {
		return c.Path[:i]
	}
	return c.Path
}
