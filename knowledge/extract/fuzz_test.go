package extract

import (
	"strings"
	"testing"
	"unicode/utf8"

	"footnote/knowledge"
)

// holdDocument checks what is true of any document.
func holdDocument(t *testing.T, body string, doc Document, err error) {
	t.Helper()
	if err != nil {
		if knowledge.CodeOf(err) != knowledge.UnsupportedFormat {
			t.Errorf("got %v, want a refusal", err)
		}
		return
	}
	if strings.ContainsRune(doc.Markdown, 0) {
		t.Error("the Markdown has a zero byte")
	}
	if utf8.ValidString(body) && !utf8.ValidString(doc.Markdown) {
		t.Error("the Markdown is not UTF-8")
	}
	lines := strings.Split(doc.Markdown, "\n")
	last := 0
	for _, h := range doc.Headings {
		if h.Line < last || h.Line < 1 || h.Line > len(lines) || h.Text == "" || strings.ContainsAny(h.Text, "\n\r") {
			t.Errorf("heading %+v of %d lines after line %d", h, len(lines), last)
		}
		last = h.Line
	}
	seen := map[string]bool{}
	for _, link := range doc.Links {
		if seen[link] || !strings.HasPrefix(link, "http://") && !strings.HasPrefix(link, "https://") {
			t.Errorf("link %q", link)
		}
		seen[link] = true
	}
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"", "<p>text", "<main><h1 id=a>A<a href='#a'>¶</a></h1><p>b<pre>c\n\nd", "<table><tr><td rowspan=9 colspan=99>a<td>b<tr><td>|",
		"<dl><dt id=x>a<dd><dl><dt>b<dd><pre>c", "<ul><li><ul><li><blockquote><ol><li>x", "<b><p>a</b>b<i>c</p>d", "<a href=x><code>a</code></a><code>b</code>",
		"<div class=note><h3>N</h3><table><tr><td>x<td>y<tr><td>z", "<base href=//h><meta http-equiv=refresh content='0;url=x'><link rel=canonical href=y>",
		"<div role=tablist><b role=tab>t</b></div><div role=tabpanel>p", "<svg><a xlink:href=x><text>a</text></a><title>t</title></svg><math><mi>x",
		"<p>a<br><br>b<br>", "<details><summary><h2>x</h2></summary><form><h1>y</h1></form>", "<select><option>a<textarea>b", "<frameset><frame src=x>", strings.Repeat("<div><blockquote>", 300),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		doc, err := HTML([]byte(body), base)
		holdDocument(t, body, doc, err)
		if n := len(doc.Markdown); n > 1000+len(body)*(2*maxPrefix+maxRepeated+len(base.String())) {
			t.Errorf("%d bytes of Markdown from %d of HTML", n, len(body))
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"", "# A\n\n[b](c)\n", "---\ntitle: x\n---\n# A", "A\n===\nB\n---\n", "> # q\n- # l\n\n    # c\n", "```\n# c\n", "[a]: http://x\n[a] <http://y>\n", "#\n## #\n", "a\rb\r\n# c\r",
		strings.Repeat(">", 500) + " # x", strings.Repeat("[", 500), strings.Repeat("- ", 300),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		doc, err := Markdown([]byte(body), base)
		holdDocument(t, body, doc, err)
	})
}
