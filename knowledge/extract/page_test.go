package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
)

func TestHTMLReadsThePage(t *testing.T) {
	tests := []struct {
		name, page string
		want       Document // its Markdown is not compared
	}{
		{
			"head", `<html lang="pt-BR"><head><title>Guide | Site</title><link rel="canonical" href="/guide/#x"><meta name="robots" content="noindex, nofollow"></head><p>A long enough text.</p>`,
			Document{Title: "Guide", Lang: "pt", Canonical: "https://docs.test/guide/", NoIndex: true, NoFollow: true},
		},
		{"xhtml and none", `<html xml:lang="AR"><meta name="Robots" content="none"><p>text</p>`, Document{Lang: "ar", NoIndex: true, NoFollow: true}},
		{"declared by header", `<meta http-equiv="Content-Language" content="de, en"><p>text</p>`, Document{Lang: "de"}},
		{"no language", `<html lang="x"><p>text</p>`, Document{}},
		{"refresh", `<meta http-equiv="refresh" content="0; URL='next.html'"><p>text</p>`, Document{Refresh: "https://docs.test/guide/next.html"}},
		{"a slow refresh is a reload", `<meta http-equiv="refresh" content="300; url=next.html"><p>text</p>`, Document{}},
		{"a refresh without a target", `<meta http-equiv="refresh" content="5"><p>text</p>`, Document{}},
		{"h1 before title", `<title>Other</title><main><h1>Own <a href="#x">¶</a></h1><p>text</p></main>`, Document{Title: "Own", Links: []string{"https://docs.test/guide/page.html"}, Headings: []knowledge.Heading{{Level: 1, Text: "Own", Anchor: "x", Line: 1}}}},
		{"h1 outside the container", `<title>Own - Site</title><header><h1>Own</h1></header><main><p>text</p></main>`, Document{Title: "Own"}},
		{
			"the first heading bounds the title", `<title>8.6. Boolean - not a suffix</title><h2>8.6. Boolean - not a suffix</h2><p>text</p>`,
			Document{Title: "8.6. Boolean - not a suffix", Headings: []knowledge.Heading{{Level: 2, Text: "8.6. Boolean - not a suffix", Line: 1}}},
		},
		{
			"links", `<base href="/other/"><nav><a href="a.html#f">a</a> <a href="a.html">again</a></nav><p>text <a href="//cdn.test/b?q=1">b</a> <a rel="nofollow ugc" href="c">c</a> <a href="ftp://d.test/">d</a> <a href="/app#/route">r</a> <a href="#!x">h</a> <a href="http://[bad">bad</a></p>`,
			Document{Links: []string{"https://docs.test/other/a.html", "https://cdn.test/b?q=1", "https://docs.test/app#/route", "https://docs.test/other/#!x"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := extractHTML(t, test.page)
			got.Markdown, got.LinkOnly = "", false
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLChoosesTheContainer(t *testing.T) {
	menu := "<div>" + strings.Repeat("<a href=x>menu entry</a> ", 10) + "</div>"
	tests := []struct{ name, page, want string }{
		{"main", menu + "<main><p>text</p></main>", "text\n"},
		{"role", menu + "<div role=main><div class=body><p>text</p></div></div>", "text\n"},
		{"an id with most of the text", "<div>side</div><div id=content><p>much more text than beside it</p></div>", "much more text than beside it\n"},
		{"an article of many is not the page", "<article><p>one</p></article><article><p>two</p></article>", "one\n\ntwo\n"},
		{"the header beside AsciiDoc's content", "<div id=header><h1>git(1)</h1></div><div id=content><p>text</p></div><div id=footer>updated</div>", "# git(1)\n\ntext\n"},
		{"DocBook's sidebar inside", "<main><p>text</p><div class=sidebar><p>aside</p></div></main>", "text\n\naside\n"},
		{"a card in main is not the page", "<main><p>more text than in the card</p><article>card</article></main>", "more text than in the card\n\ncard\n"},
		{"an empty main", "<main></main><p>text</p>", "text\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, extractHTML(t, "<body>"+test.page+"</body>").Markdown); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLTellsIndexes(t *testing.T) {
	entries := strings.Repeat(`<li><a href="x">An entry of the index</a></li>`, 30)
	prose := "<p>" + strings.Repeat("This is said in words, not in links. ", 20) + "</p>"
	tests := []struct {
		name, body string
		want       bool
	}{
		{"contents alone", "<h1>Chapter 3</h1><div class=toc><ul>" + entries + "</ul></div>", true},
		{"a list of links", "<h1>Index</h1><ul>" + entries + "</ul>", true},
		{"a printed index", "<h1>Index</h1><div class=indexdiv><h3>A</h3><dl>" + strings.Repeat("<dt>a term of several words, <a href=x>Page</a></dt>", 30) + "</dl></div>", true},
		{"an index of modules", "<h1>Modules</h1><table class=indextable>" + strings.Repeat("<tr><td><a href=x>os</a></td><td>What the module is for</td></tr>", 30) + "</table>", true},
		{"contents under an introduction", "<h1>Chapter 3</h1>" + prose + "<div class=toc><ul>" + entries + "</ul></div>", false},
		{"prose with links", prose + "<p><a href=x>more</a></p>", false},
		{"code alone", "<pre>" + strings.Repeat("SELECT 1;\n", 20) + "</pre><a href=x>more</a>", false},
		{"short", "<p>Short.</p>", false},
		{"nothing", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := extractHTML(t, "<body><main>"+test.body+"</main></body>")
			if doc.LinkOnly != test.want {
				t.Errorf("an index: %v, want %v\n%s", doc.LinkOnly, test.want, doc.Markdown)
			}
		})
	}
}

func TestMarkdown(t *testing.T) {
	source := "\ufeff---\ntitle: \"Own\"\nlang: fr\n---\n# Top `code`\r\n\r\n[a](b.md#c) <https://x.test/> [m](mailto:a@b)\n\n> # quoted\n\n```\n# code\n```\n\nUnder\n=====\n\n## Two *words* ##\n"
	got, err := Markdown([]byte(source), base)
	if err != nil {
		t.Fatal(err)
	}
	want := Document{
		Title: "Own", Lang: "fr",
		Markdown: "# Top `code`\n\n[a](b.md#c) <https://x.test/> [m](mailto:a@b)\n\n> # quoted\n\n```\n# code\n```\n\nUnder\n=====\n\n## Two *words* ##\n",
		Headings: []knowledge.Heading{{Level: 1, Text: "Top code", Line: 1}, {Level: 1, Text: "Under", Line: 11}, {Level: 2, Text: "Two words", Line: 14}},
		Links:    []string{"https://docs.test/guide/b.md", "https://x.test/"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMarkdownNamesTheDocument(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"first h1", "## A\n\n# B\n", "B"},
		{"first heading", "## A\n", "A"},
		{"its file", "text\n", "page.html"},
		{"a rule is not front matter", "---\nwords here\n---\n# B\n", "B"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Markdown([]byte(test.source), base)
			if err != nil || got.Title != test.want {
				t.Errorf("got %q, %v, want %q", got.Title, err, test.want)
			}
		})
	}
}

func TestMarkdownRefusesDeepNesting(t *testing.T) {
	if _, err := Markdown([]byte("a\n"+strings.Repeat("> ", 500)+"b\n"), base); knowledge.CodeOf(err) != knowledge.UnsupportedFormat {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := Markdown([]byte("a\n"+strings.Repeat("-", 500)+"\n> "+strings.Repeat(">", 500)[:40]+" b\n"), base); err != nil {
		t.Errorf("got %v, want a document", err)
	}
}

func TestText(t *testing.T) {
	got, err := Text([]byte("a\r\n# b\n"), base)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Document{Title: "page.html", Markdown: "a\n# b\n"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Text([]byte("a\x00b"), base); knowledge.CodeOf(err) != knowledge.UnsupportedFormat {
		t.Errorf("got %v, want a refusal", err)
	}
}

// What would keep the parser busy for minutes is refused at once.
func TestMarkdownRefusesWhatTakesTooLong(t *testing.T) {
	stairs := func(steps int) string {
		var b strings.Builder
		for i := range steps {
			b.WriteString(strings.Repeat("  ", i) + "- step\n")
		}
		return b.String()
	}
	list := strings.Repeat("- [a](https://a.test/) and *b* in `c_d`\n", 20_000)
	cases := []struct {
		name, text string
		want       knowledge.Code
	}{
		{"links that never close", strings.Repeat("[a](", 250_000), knowledge.RequestTooLarge},
		{"emphasis that never closes", strings.Repeat("*a_ ", 250_000), knowledge.RequestTooLarge},
		{"reference definitions without end", strings.Repeat("[r]: https://a.test/\n", 100_000), knowledge.RequestTooLarge},
		{"lists in lists", stairs(1000), knowledge.UnsupportedFormat},
		{"a long list of links", list, ""},
		{"a long table", strings.Repeat("| [a](https://a.test/) | *b* | c |\n", 2000), ""},
		{"long code", "```\n" + list + "```\n", ""},
		{"a picture in the text", "![p](data:image/png;base64," + strings.Repeat("iVBORw0KGgo", 100_000) + ")\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Markdown([]byte(c.text), nil)
			if got := knowledge.CodeOf(err); got != c.want {
				t.Errorf("refused with %q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestTitlesAreBounded(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	page, err := HTML([]byte("<title>"+long+"</title><h1>"+long+"</h1><p>Text.</p>"), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Markdown([]byte("# "+long+"\n\nText.\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("é", maxTitle-1) + "…"
	if page.Title != want || doc.Title != want {
		t.Errorf("titles of %d and %d bytes, want %d", len(page.Title), len(doc.Title), len(want))
	}
}
