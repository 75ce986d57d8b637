package siteserver

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// redirectCases lead elsewhere.
func redirectCases() []Case {
	return []Case{
		{Path: "redirect/3", Want: "three hops, stored once under /__case/page", serve: func(v visit) {
			to := "/__case/page"
			if n, err := strconv.Atoi(v.rest); err == nil && n > 0 {
				to = fmt.Sprintf("/__case/redirect/%d", n-1)
			}
			http.Redirect(v.w, v.r, to, http.StatusFound)
		}},
		{Path: "redirect-loop", Want: "stops, counted failed", serve: func(v visit) {
			http.Redirect(v.w, v.r, "/__case/redirect-loop?n="+strconv.Itoa(v.nth), http.StatusFound)
		}},
		{Path: "redirect-to?u=http://169.254.169.254/", Want: "refused: security_blocked", serve: func(v visit) {
			http.Redirect(v.w, v.r, v.r.URL.Query().Get("u"), http.StatusFound)
		}},
		{Path: "meta-refresh", Want: "follows to page, stores nothing for itself", serve: func(v visit) {
			v.unlabelled(`<html><head><meta http-equiv="refresh" content="0; URL=page"></head><body><p>Redirecting to <a href="page">page</a>...</p></body></html>`)
		}},
		{Path: "canonical", Want: "stored once, under /__case/page", serve: func(v visit) {
			v.unlabelled(`<head><link rel="canonical" href="/__case/page"><title>Copy</title></head><h1>Plain page</h1><p>The port is 8443.</p>`)
		}},
		{Path: "canonical-foreign", Want: "foreign canonical ignored", serve: func(v visit) {
			v.unlabelled(`<head><link rel="canonical" href="https://evil.example/x"><title>Foreign canonical</title></head><p>Cite this host, not that one.</p>`)
		}},
	}
}

// trapCases never end when followed naively.
func trapCases() []Case {
	return []Case{
		{Path: "calendar", Want: "endless: bounded by depth and cap", serve: func(v visit) {
			year, month := 2026, 1
			if _, err := fmt.Sscanf(v.rest, "%d/%d", &year, &month); err != nil {
				year, month = 2026, 1
			}
			t := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
			link := func(t time.Time, label string) string {
				return fmt.Sprintf(`<a href="/__case/calendar/%d/%d">%s</a> `, t.Year(), t.Month(), label)
			}
			v.page(t.Format("January 2006"), link(t.AddDate(0, -1, 0), "prev")+link(t.AddDate(0, 1, 0), "next"))
		}},
		{Path: "session", Want: "one page, not one for each sid", serve: func(v visit) {
			v.page("Session", fmt.Sprintf(`<p>Same text always.</p><a href="/__case/session?sid=%d%d">self</a>`, time.Now().UnixNano(), v.nth))
		}},
		{Path: "deep/", Want: "endless path repetition", serve: func(v visit) {
			v.page("Deep", `<p>Same text always.</p><a href="a/">down</a>`)
		}},
		{Path: "pages?page=1", Want: "endless pagination, same text", serve: func(v visit) {
			n, err := strconv.Atoi(v.r.URL.Query().Get("page"))
			if err != nil {
				n = 0
			}
			v.page("List", fmt.Sprintf(`<p>Nothing more.</p><a href="?page=%d">next</a>`, n+1))
		}},
		{Path: "facets?a=1&b=2", Want: "one page for all query orders and utm_*", serve: func(v visit) {
			v.page("Facets", `<a href="?a=1&b=2">ab</a> <a href="?b=2&a=1">ba</a> <a href="?b=2&amp;a=1&amp;utm_source=x">utm</a> <a href="?">none</a>`)
		}},
	}
}

// refusalCases are what a server says instead of a page.
func refusalCases() []Case {
	return []Case{
		{Path: "soft404", Want: "not stored", serve: func(v visit) {
			v.page("Page not found", "<p>Sorry, the page you are looking for does not exist.</p>")
		}},
		{Path: "login", Want: "not stored as documentation", serve: func(v visit) {
			v.page("Sign in", `<form method="post"><input name="user"><input type="password" name="pw"></form>`)
		}},
		{Path: "challenge", Want: "failed: bot wall, not stored", serve: func(v visit) {
			v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
			v.w.WriteHeader(http.StatusForbidden)
			v.page("Just a moment...", `<p>Enable JavaScript and cookies to continue</p>`)
		}},
		{Path: "429", Want: "waits Retry-After, then stored", serve: func(v visit) {
			if v.nth <= 2 {
				v.w.Header().Set("Retry-After", "1")
				http.Error(v.w, "slow down", http.StatusTooManyRequests)
				return
			}
			v.page("After 429", "<p>Welcome back.</p>")
		}},
		{Path: "503-date", Want: "Retry-After as a date", serve: func(v visit) {
			if v.nth <= 1 {
				v.w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
				http.Error(v.w, "maintenance", http.StatusServiceUnavailable)
				return
			}
			v.page("After 503", "<p>Back.</p>")
		}},
	}
}

// limitCases exceed what a client should bear.
func limitCases() []Case {
	return []Case{
		{Path: "slow-headers", Want: "header timeout", Endless: true, serve: func(v visit) {
			sleep(v.r, 30*time.Second)
			v.page("Slow", "<p>late</p>")
		}},
		{Path: "drip", Want: "total-time limit, not only idle", Endless: true, serve: func(v visit) {
			v.unlabelled("")
			flush := http.NewResponseController(v.w)
			for i := 0; i < 6000 && v.r.Context().Err() == nil; i++ {
				put(v.w, "<p>x</p>\n")
				if flush.Flush() != nil {
					return
				}
				sleep(v.r, 100*time.Millisecond)
			}
		}},
		{Path: "huge", Want: "body cap (250 MB of HTML)", Endless: true, serve: func(v visit) {
			v.unlabelled("")
			chunk := []byte(strings.Repeat("<p>filler filler filler</p>", 40000))
			for range 250 {
				if _, err := v.w.Write(chunk); err != nil {
					return
				}
			}
		}},
		{Path: "bomb", Want: "decompressed-size cap (1 GiB in 1 MiB of gzip)", Endless: true, serve: func(v visit) {
			v.w.Header().Set("Content-Type", "text/html")
			v.w.Header().Set("Content-Encoding", "gzip")
			zw := gzip.NewWriter(v.w)
			zeros := make([]byte, 1<<20)
			for range 1024 {
				if _, err := zw.Write(zeros); err != nil {
					return
				}
			}
			_ = zw.Close() // the client may have gone
		}},
		{Path: "nested", Want: "no stack overflow; parser limit", serve: func(v visit) {
			v.unlabelled("<title>Nested</title>" + strings.Repeat("<div><blockquote>", 10000) + "deep" + strings.Repeat("</blockquote></div>", 10000))
		}},
	}
}
