package crawl

import (
	"net/url"
	"strings"
	"testing"

	"footnote/knowledge/extract"
)

func TestSuspect(t *testing.T) {
	prose := strings.Repeat("This paragraph says what the status means and when a server sends it. ", 20)
	const form = `<form><input type="password"></form>`
	const script = `<script src="app.js"></script>`
	for _, c := range []struct {
		name, title, text, body string
		says                    string // "" is a page
	}{
		{"plain", "Install", "Run the installer.", "", ""},
		{"soft 404", "Page not found", "Sorry.", "", "does not exist"},
		{"soft 404 with a site's name", "404 Not Found | Docs", "Sorry.", "", "does not exist"},
		{"soft 404 in Arabic", "الصفحة غير موجودة", "عذرا", "", "does not exist"},
		{"reference on 404", "404 Not Found", prose, "", ""},
		{"short page on errors", "Errors when a file is not found", "Check the path.", "", ""},
		{"login form", "Sign in", "", form, "login page"},
		{"login form elsewhere", "Acme", "Welcome back.", form, "login page"},
		{"login without a form", "Log in | Acme", "", "", "login page"},
		{"page on logging in", "Log in to the cluster", prose[:500], "", ""},
		{"short page beside a form", "Ports", prose[:500], form, ""},
		{"bot wall", "Just a moment...", "", "", "bot wall"},
		{"bot wall by its script", "docs.example", "", `<script src="/cdn-cgi/challenge-platform/x.js">`, "bot wall"},
		{"page on bot walls", "Just a moment: how challenges work", prose, "", ""},
		{"shell", "App", "", `<div id="root"></div>` + script, "JavaScript"},
		{"shell that says so", "App", "", "<noscript>Enable it</noscript>" + script, "JavaScript"},
		{"empty page with a script", "Blank", "", script, ""},
		{"page with a script", "App", "Text.", `<div id="app">Text.</div>` + script, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := suspect(&url.URL{Scheme: "http", Host: "a.example", Path: "/"}, extract.Document{Title: c.title, Markdown: c.text}, []byte(c.body))
			if (got == nil) != (c.says == "") || got != nil && !strings.Contains(got.Reason, c.says) {
				t.Errorf("got %v, want %q", got, c.says)
			}
		})
	}
}
