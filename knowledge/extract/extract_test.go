package extract

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/knowledge"
)

var base = &url.URL{Scheme: "https", Host: "docs.test", Path: "/guide/page.html"}

func extractHTML(t *testing.T, page string) Document {
	t.Helper()
	doc, err := HTML([]byte(page), base)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// lines joins the lines of a page's Markdown.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func TestHTMLWritesBlocks(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"nothing", "", ""},
		{"white space collapses", "<p>a\n  b&nbsp;&nbsp;c </p>", lines("a b c")},
		{"what no reader sees goes", "<p>in\u00advis\u200bible\U000e0041</p>", lines("invisible")},
		{"signs are not escaped", "<p>sphinx_tabs [no-]verify &lt;name&gt; a*b</p>", lines("sphinx_tabs [no-]verify <name> a*b")},
		{"text that looks like a heading or fence", "<p># no</p><p>```</p><p>&gt; no</p><p>#tag</p>", lines(`\# no`, "", "\\```", "", `\> no`, "", "#tag")},
		{"marks", "<p><b>bold</b> <i> it </i> <b><strong>once</strong></b> <s>gone</s></p>", lines("**bold** *it* **once** ~~gone~~")},
		{"a placeholder is code", "<p><em class=replaceable><code>name</code></em></p>", lines("`name`")},
		{"code spans that touch", "<p><code>a</code><code>b</code> <code>c`d</code></p>", lines("`ab` `` c`d ``")},
		{"a power is not a number", "<p>2<sup>10</sup> and note<sup>[1]</sup></p>", lines("2^10 and note[1]")},
		{"line breaks", "<p>a<br>b<br><br>c</p>", lines("a  ", "b", "", "c")},
		{"links are absolute", `<p><a href="../x.html#y" title="t">x</a> <a href="mailto:a@b">m</a> <a href="javascript:f()">j</a></p>`, lines("[x](https://docs.test/x.html#y) m j")},
		{"a card is not a link", `<a href="x"><h3>Card</h3><p>text</p></a>`, lines("### Card", "", "text")},
		{"lists", "<ul><li>a<li>b<ol start=3><li>c</ol><li><p>d</p><p>e</p></ul>", lines("- a", "- b", "  3. c", "- d", "", "  e")},
		{"a list with headings is layout", "<ul><li><h3>A</h3>text<li><h3>B</h3></ul>", lines("### A", "", "text", "", "### B")},
		{"definitions", "<dl><dt>a<dt><code>b</code><dd>one<dd>two<dt>c<dd>three</dl>", lines("- **a**", "  **`b`**", "", "  one", "", "  two", "", "- **c**", "", "  three")},
		{"a quotation in a list", "<ul><li><blockquote><p>q</p><p>r</p></blockquote></ul><p>s</p>", lines("- > q", "  >", "  > r", "", "s")},
		{"two quotations", "<blockquote>a</blockquote><blockquote>b</blockquote>", lines("> a", "", "> b")},
		{"a note", `<div class="admonition note"><p class="admonition-title">Note</p><p>text</p></div>`, lines("> **Note**", ">", "> text")},
		{"a note with a heading", `<div class="warning"><h3 class="title">Warning</h3><p>text</p></div>`, lines("> **Warning**", ">", "> text")},
		{"details", "<details><summary>More</summary><p>text</p></details>", lines("**More**", "", "text")},
		{"details with a heading", "<details><summary><h3>More</h3></summary><p>text</p></details>", lines("### More", "", "text")},
		{"an image says what it shows", `<p><img src="i.png" alt="A tree"> <img src="j.png"></p>`, lines("![A tree](<https://docs.test/guide/i.png>)")},
		{"furniture goes", `<nav>n</nav><div class="navheader">h</div><p>text<button>Copy</button></p><div class=toc><a href=x>x</a></div><footer>f</footer>`, lines("text")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := extractHTML(t, "<body><main>"+test.body+"</main></body>").Markdown
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLKeepsCode(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"verbatim", "<pre>\n  a\n\n\tb &lt;c&gt; *d*\n</pre>", lines("```", "  a", "", "\tb <c> *d*", "```")},
		{"language on code", `<pre><code class="hljs language-go">x</code></pre>`, lines("```go", "x", "```")},
		{"language around", `<div class="highlight-python notranslate"><div class=highlight><pre><span></span>x</pre></div></div>`, lines("```python", "x", "```")},
		{"brush", `<pre class="brush: sql; x">x</pre>`, lines("```sql", "x", "```")},
		{"no language is none", `<div class="highlight-default"><pre>x</pre></div>`, lines("```", "x", "```")},
		{"line numbers go", `<table class=highlighttable><tr><td class=linenos><pre>1
2</pre></td><td class=code><pre><span class=lineno>1 </span>x
y</pre></td></tr></table>`, lines("```", "x", "y", "```")},
		{"a line an element", `<pre><div class="token-line">a</div><div class="token-line">b<br></div></pre>`, lines("```", "a", "b", "```")},
		{"fences inside", "<pre>```\nx\n```</pre>", lines("````", "```", "x", "```", "````")},
		{"in a list", "<ul><li>a<pre>b\n\nc</pre></ul>", lines("- a", "", "  ```", "  b", "", "  c", "  ```")},
		{"in a quotation", "<blockquote><pre>b\n\nc</pre></blockquote>", lines("> ```", "> b", ">", "> c", "> ```")},
		{"empty", "<pre> \n</pre><p>x</p>", lines("x")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := extractHTML(t, "<body><main>"+test.body+"</main></body>").Markdown
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLWritesTables(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{
			"header, bars and blocks", "<table><tr><th>A<th>B<tr><td>a|b<td><p>one</p><p>two</p><tr><td>c<br><br>d<td></table>",
			lines("| A | B |", "| --- | --- |", `| a\|b | one — two |`, "| c — d |  |"),
		},
		{"the first row is promoted", "<table><tr><td>1<td>2<tr><td>3<td>4</table>", lines("| 1 | 2 |", "| --- | --- |", "| 3 | 4 |")},
		{
			"spans", "<table><tr><th>A<th>B<th>C<tr><td rowspan=2>x<td colspan=2>y<tr><td>z<td>w</table>",
			lines("| A | B | C |", "| --- | --- | --- |", "| x | y |  |", "| x | z | w |"),
		},
		{"layout with code", "<table><tr><td>a<td><pre>b</pre></table>", lines("a", "", "```", "b", "```")},
		{"layout of one row", "<table><tr><td>a<td>b</table>", lines("a", "", "b")},
		{"caption", "<table><caption>Sizes</caption><tr><th>A<th>B<tr><td>1<td>2</table>", lines("Sizes", "", "| A | B |", "| --- | --- |", "| 1 | 2 |")},
		{"empty rows go", "<table><tr><th>A<th>B<tr><td><td><tr><td>1<td>2</table>", lines("| A | B |", "| --- | --- |", "| 1 | 2 |")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := extractHTML(t, "<body><main>"+test.body+"</main></body>").Markdown
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLFindsAnchors(t *testing.T) {
	tests := []struct {
		name, body string
		want       []knowledge.Heading
	}{
		{"its own", `<h2 id="own">A</h2>`, []knowledge.Heading{{Level: 2, Text: "A", Anchor: "own", Line: 1}}},
		{"inside", `<h2><a name="in"></a>A <code>b</code></h2>`, []knowledge.Heading{{Level: 2, Text: "A b", Anchor: "in", Line: 1}}},
		{"its permalink", `<h2>A<a class="headerlink" href="#perma">¶</a></h2>`, []knowledge.Heading{{Level: 2, Text: "A", Anchor: "perma", Line: 1}}},
		{"an unclassed permalink", `<h2>C# <a href="#perma">#</a></h2>`, []knowledge.Heading{{Level: 2, Text: "C#", Anchor: "perma", Line: 1}}},
		{
			"its section", `<p>x</p><section id="sec"><div><h2>A</h2></div><p>x</p><h3>B</h3></section>`,
			[]knowledge.Heading{{Level: 2, Text: "A", Anchor: "sec", Line: 3}, {Level: 3, Text: "B", Line: 7}},
		},
		{"a name before", `<p>x</p><a name="before"></a><h2>A</h2>`, []knowledge.Heading{{Level: 2, Text: "A", Anchor: "before", Line: 3}}},
		{"an index term is none", `<div id="sec"><a id="id-1" class="indexterm"></a><h2>A</h2></div>`, []knowledge.Heading{{Level: 2, Text: "A", Anchor: "sec", Line: 1}}},
		{
			"terms", `<dl><dt id="GUC-X"><code>x</code> (<a href="t">type</a>)</dt><dd>d</dd><dt>plain<dd>e</dl>`,
			[]knowledge.Heading{{Level: knowledge.TermLevel, Text: "x (type)", Anchor: "GUC-X", Line: 1}},
		},
		{
			"a signature keeps its asterisks", `<dl><dt class="sig" id="f"><code>f</code>(*a, **kw)<a class="headerlink" href="#f">¶</a></dt><dd>d</dd></dl>`,
			[]knowledge.Heading{{Level: knowledge.TermLevel, Text: "f(*a, **kw)", Anchor: "f", Line: 1}},
		},
		{"lines count code", "<pre>1\n2\n3</pre><h2>A</h2>", []knowledge.Heading{{Level: 2, Text: "A", Line: 7}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := extractHTML(t, "<body><main>"+test.body+"</main></body>").Headings
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLDropsHiddenText(t *testing.T) {
	tests := []struct {
		name, body string
		keeps      bool
	}{
		{"display none", `<p style="display: none">secret</p>`, false},
		{"hidden", `<div hidden><p>secret</p></div>`, false},
		{"visibility", `<span style="color:red; VISIBILITY:hidden">secret</span>`, false},
		{"font size", `<span style="font-size:0px">secret</span>`, false},
		{"opacity", `<span style="opacity: 0.0 !important">secret</span>`, false},
		{"off the screen", `<span style="position:absolute;left:-9999px">secret</span>`, false},
		{"aria", `<span aria-hidden="true">secret</span>`, false},
		{"for screen readers", `<span class="sr-only">secret</span>`, false},
		{"a comment", `<!-- secret -->`, false},
		{"a template", `<template>secret</template>`, false},
		{"in code", `<pre>a<span style="display:none">secret</span></pre>`, false},
		{"small print", `<span style="font-size:0.8em">secret</span>`, true},
		{"opened by a control", `<button aria-controls="p">More</button><div id="p" hidden>secret</div>`, true},
		{"opened by a target", `<a data-bs-target="#p">More</a><div id="p" style="display:none">secret</div>`, true},
		{"opened by a script", `<button onclick="show('p')">More</button><div id="p" style="display:none">secret</div>`, true},
		{"details", `<details><p>secret</p></details>`, true},
		{"a tab's panel", `<div role="tabpanel" hidden>secret</div>`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := extractHTML(t, "<body><main><p>What readers see.</p>"+test.body+"</main></body>")
			if got := strings.Contains(doc.Markdown, "secret"); got != test.keeps {
				t.Errorf("kept: %v, want %v\n%s", got, test.keeps, doc.Markdown)
			}
		})
	}
}

func TestHTMLOpensTabs(t *testing.T) {
	tests := []struct{ name, body string }{
		{"by controls", `<div role=tablist><button role=tab aria-controls=p1>Linux</button><button role=tab aria-controls=p2>Windows</button></div>
<div role=tabpanel id=p1><p>apt</p></div><div role=tabpanel id=p2 hidden><p>winget</p></div>`},
		{"by labels", `<div role=tablist><button role=tab id=t1>Linux</button><button role=tab id=t2>Windows</button></div>
<div role=tabpanel aria-labelledby=t1><p>apt</p></div><div role=tabpanel aria-labelledby=t2 hidden><p>winget</p></div>`},
		{"by order", `<ul role=tablist><li role=tab>Linux</li><li role=tab>Windows</li></ul>
<div><div role=tabpanel><p>apt</p></div><div role=tabpanel hidden><p>winget</p></div></div>`},
		{"by class", `<div class=tabbed-set><div class=tabbed-labels><label>Linux</label><label>Windows</label></div>
<div class=tabbed-content><div class=tabbed-block><p>apt</p></div><div class=tabbed-block><p>winget</p></div></div></div>`},
	}
	want := lines("**Linux**", "", "apt", "", "**Windows**", "", "winget")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(want, extractHTML(t, "<body><main>"+test.body+"</main></body>").Markdown); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHTMLRefuses(t *testing.T) {
	tests := []struct {
		name string
		body string
	}{
		{"nested too deeply", strings.Repeat("<div><blockquote>", 10000) + "deep"},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00\x01", 50)},
		{"a zero byte", "<p>text\x00text</p>"},
		{"a PDF", "%PDF-1.7\n1 0 obj"},
		{"noise", strings.Repeat("\xff\xfe\x01", 40)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := HTML([]byte(test.body), base)
			refusal, ok := errors.AsType[*knowledge.Error](err)
			if !ok || refusal.Code != knowledge.UnsupportedFormat || !strings.Contains(refusal.Reason, " ") {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
}
