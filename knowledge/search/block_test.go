package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/yuin/goldmark"

	"footnote/knowledge"
	"footnote/knowledge/fold"
)

func TestBlocks(t *testing.T) {
	tests := []struct {
		name, markdown string
		want           []Block
	}{
		{"paragraph over lines", "One *two*\n**three** `four\\_` [five](https://x.y/z).", []Block{{Kind: Prose, Text: `One two three four\_ five.`}}},
		{"escapes, entities, images", `a\_b &lt; \* ![six](i.png)`, []Block{{Kind: Prose, Text: "a_b < * six"}}},
		{"heading and list", "## Set `x`\n\n- one\n  more\n- two", []Block{{Kind: Heading, Text: "Set x"}, {Kind: Item, Text: "one more"}, {Kind: Item, Text: "two"}}},
		{"fence", "```sql\nSELECT 1;\n\n  x\n```", []Block{{Kind: Code, Text: "SELECT 1;\n\n  x", Info: "sql"}}},
		{"table", "| a | b |\n|---|---|\n| `c` | d |", []Block{{Kind: Row, Text: "a · b"}, {Kind: Row, Text: "c · d"}}},
		{"quote", "> said\n> so", []Block{{Kind: Prose, Text: "said so"}}},
		{"autolink and HTML", "<https://x.y> <b>bold</b>", []Block{{Kind: Prose, Text: "https://x.y bold"}}},
		{"placeholders", "**--depth=<n>** and <ref name>, not<br/>tags <img src=x> <!-- nor this -->", []Block{{Kind: Prose, Text: "--depth=<n> and <ref name>, nottags"}}},
		{"placeholder on a line of its own", "- <tree-ish>\n\n- <option> more", []Block{{Kind: Item, Text: "<tree-ish>"}, {Kind: Item, Text: "<option> more"}}},
		{"block of HTML", "<details>\n<summary>More</summary>\n\nText\n\n</details>", []Block{{Kind: Prose, Text: "Text"}}},
		{"nothing", "\n---\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Blocks(tt.markdown), cmpopts.IgnoreUnexported(Block{})); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlockMarkdownKeepsCode(t *testing.T) {
	tests := []struct{ markdown, want string }{
		{"Set `max_connections` to **1*2**.", "Set `max_connections` to 1\\*2."},
		{"Type `` a`b `` now", "Type ``a`b`` now"},
		{"```go\nx := `y`\n```", "```go\nx := `y`\n```"},
		{"    ```", "````\n```\n````"},
		{`a \<b> \[c](d) \# &amp;lt;`, `a \<b> [c\](d) # \&lt;`},
		{"HEAD~3 and HEAD~2", `HEAD\~3 and HEAD\~2`},
		{`\- item`, `\- item`},
		{`1\. item`, `1\. item`},
	}
	for _, tt := range tests {
		b := Blocks(tt.markdown)[0]
		if diff := cmp.Diff(tt.want, b.Markdown(0, len(b.Text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.markdown, diff)
		}
	}
}

func TestSentences(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"three", "One. Two! Three? ", []string{"One.", "Two!", "Three?"}},
		{"abbreviation, number, name", "Use e.g. Linux 3.11. See os.path here. It is no. 5 of J. Doe.", []string{"Use e.g. Linux 3.11.", "See os.path here.", "It is no. 5 of J. Doe."}},
		{"small letter goes on", "Files like .x. are hidden.", []string{"Files like .x. are hidden."}},
		{"quotes and brackets", `He said "Yes." Then (he left.) Done.`, []string{`He said "Yes."`, "Then (he left.)", "Done."}},
		{"Arabic", "ما هذا؟ هذا كتاب.", []string{"ما هذا؟", "هذا كتاب."}},
		{"Chinese", "一。二。", []string{"一。", "二。"}},
		{"empty", "  ", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Sentences(tt.text) {
				got = append(got, tt.text[s[0]:s[1]])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
}

// ask makes a question whose words all weigh the same.
func ask(text string) Question {
	terms := fold.Question(text)
	return newQuestion(terms, make([]int, len(terms)), 1)
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("Nothing of interest stands here at all. ", 20)
	tests := []struct{ name, query, text, want string }{
		{"bold words in every form", "limiting connection", "The limit of *connections* is 5.", "The **limit** of **connections** is 5."},
		{"neighbours in one mark", "max connections", "Raise max connections now", "Raise **max connections** now"},
		{"an option", "--no-verify", "Pass `--no-verify` (or not)", "Pass **--no-verify** (or not)"},
		{"part of a name", "connections", "Set `max_connections`", "Set **max_connections**"},
		{"headings are left out", "vacuum", "## Vacuum\n\nReclaims space.", "Reclaims space."},
		{"unless they are all", "vacuum", "## Vacuum", "**Vacuum**"},
		{"fence and table", "select b", "```\nSELECT *\n  FROM t\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |", `**SELECT** \* FROM t a · **b** 1 · 2`},
		{"markup of the text is text", "x", `\*\*x\*\* \_y\_ \<b>`, `\*\***x**\*\* \_y\_ \<b>`},
		{"begins with an option", "x", "\\--no-x", "--no-**x**"},
		{"begins like a list", "one", `\- one`, `\- **one**`},
		{"Chinese", "连接", "数据库连接会关闭", "数据库**连接**会关闭"},
		{"Arabic", "كتاب", "هذا الكتاب جديد", "هذا **الكتاب** جديد"},
		{
			"the best sentence, not the first", "rotate keys", filler + "You can rotate keys with a command. " + filler,
			"… You can **rotate keys** with a command. " + strings.TrimSpace(strings.Repeat("Nothing of interest stands here at all. ", 6)) + " Nothing of …",
		},
		{"nothing to read", "x", "---", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ask(tt.query).Snippet(knowledge.Chunk{Text: tt.text}, "en")); diff != "" {
				t.Errorf("snippet (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzSnippet(f *testing.F) {
	for _, s := range []string{"a `b` **c** [d](e) ![f](g) <h> &amp; \\* _i_ ~~j~~", "```\ncode\n```\n# x\n| a |\n|--|\n| b |", "数据库连接 **x**y", "--a __b__ *c*d #e", "\xff`\x00", strings.Repeat("word ", 200), strings.Repeat("é_", 400), "1) a", "x:y|z\n:--"} {
		f.Add(s, "a b connections --a 连接 word x")
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		s := ask(query).Snippet(knowledge.Chunk{Text: text}, "en")
		if n := utf8.RuneCountInString(s); n > MaxSnippet || strings.Contains(s, "\n") {
			t.Fatalf("snippet of %d characters: %q", n, s)
		}
		// Read back as CommonMark it is one paragraph, with as many bold words as were marked.
		var b strings.Builder
		if err := goldmark.Convert([]byte(s), &b); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		for _, tag := range []string{"<em", "<a ", "<code", "<h", "<ul", "<ol", "<blockquote", "<!--", "<img", "<pre"} {
			if strings.Contains(out, tag) {
				t.Fatalf("snippet %q reads as %q", s, out)
			}
		}
		marks := strings.Count(strings.NewReplacer(`\\`, "", `\*`, "").Replace(s), "**")
		if strong := strings.Count(out, "<strong>"); strong*2 != marks {
			t.Fatalf("snippet %q has %d marks and %d bold words", s, marks, strong)
		}
	})
}

// A fence's language cannot break the fence that is written anew.
func TestBlockMarkdownStaysFenced(t *testing.T) {
	blocks := Blocks("~~~ a`b\n[click](https://evil.test/)\n~~~\n")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks, want the code alone", len(blocks))
	}
	want := "```\n[click](https://evil.test/)\n```"
	if got := blocks[0].Markdown(0, 0); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEscape(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"an address", "10.0.0.1 is private", "10.0.0.1 is private"},
		{"a name", "crawl.allow_private", "crawl.allow_private"},
		{"a link", "see [this](https://evil.test/)", `see [this\](https://evil.test/)`},
		{"emphasis", "**b**", `\*\*b\*\*`},
		{"an autolink", "<https://evil.test>", `\<https://evil.test>`},
		{"a numbered item", "1. one", `1\. one`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Escape(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
