package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"footnote/adapters/render"
)

// The golden files are what a person sees at 60 columns, what a pipe gets, and the
// escape codes, in which "^[" stands for ESC. UPDATE_GOLDEN=1 writes them anew.
func TestGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, source := range sources {
		md, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for suffix, style := range map[string]render.Style{
			".pipe.txt":  {},
			".plain.txt": {Width: 60},
			".ansi.txt":  {Width: 60, Color: true},
			".links.txt": {Width: 60, Color: true, Links: true},
		} {
			golden := strings.TrimSuffix(source, ".md") + suffix
			t.Run(filepath.Base(golden), func(t *testing.T) {
				got := strings.ReplaceAll(style.Markdown(string(md)), "\x1b", "^[") + "\n"
				if os.Getenv("UPDATE_GOLDEN") != "" {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		}
	}
}

func TestInline(t *testing.T) {
	cases := []struct{ name, md, want string }{
		{"link that is its own text", "[https://example.com](https://example.com)", "https://example.com"},
		{"link without text", "[](https://example.com)", "https://example.com"},
		{"link with spaces in it", "[a](<https://example.com/a b>)", "a (https://example.com/a%20b)"},
		{"mail", "<me@example.com>", "me@example.com"},
		{"image without text", "![](https://example.com/a.png)", "image (https://example.com/a.png)"},
		{"escaped entity", `\&lt; &#x41; &unknown; a & b; &`, "&lt; A &unknown; a & b; &"},
		{"entity in code stays", "`&lt;`", "&lt;"},
		{"no-break space holds together", "a&nbsp;b", "a\u00a0b"},
		{"code over lines", "`a\nb`", "a b"},
		{"empty list item", "- a\n-\n- c", "• a\n•\n• c"},
		{"loose list", "- a\n\n- b", "• a\n\n• b"},
		{"list that starts at seven", "7. a\n8. b", "7. a\n8. b"},
		{"empty", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, render.Plain(c.md, 0)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestLinesFitTheWidth(t *testing.T) {
	md, err := os.ReadFile("testdata/table.md")
	if err != nil {
		t.Fatal(err)
	}
	text := "word " + strings.Repeat("and more words with **bold** and `code` in between ", 20) + "\n\n" + string(md)
	for _, width := range []int{30, 40, 79, 120} {
		for line := range strings.Lines(render.Plain(text, width)) {
			line = strings.TrimSuffix(line, "\n")
			if n := render.Width(line); n > width {
				t.Errorf("at %d columns a line has %d: %q", width, n, line)
			}
		}
	}
}

// hostile is what a page may hold to take over a terminal: colours, a window title, a
// clipboard write, C1 codes as characters and as bytes, overprinting, and the
// bidirectional controls that make text read as something else.
func hostile() []string {
	return []string{
		"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]52;c;ZXZpbA==\x07", "\u009b31m", "\u009d0;x\u009c", "\x9b31m", "\x90q\x9c",
		"over\rprinted", "back\b\b\bspace", "\x7f", "\x00", "\v\f", "\u202eevil\u202c", "\u2066x\u2069", "&#27;[31m", "&#x9b;31m", "&#8238;", "\\\x1b[2J",
		"\x1b\\", "\x1bc",
	}
}

// wrappers put a text in every place that CommonMark has.
func wrappers() []string {
	return []string{
		"%", "# %", "**%**", "`%`", "```\n%\n```", "```%\nx\n```", "    %", "- %", "> %", "[%](https://e.com)", "[a](<https://e.com/%>)",
		"[a](https://e.com \"%\")", "![%](https://e.com/%)", "<https://e.com/%>", "| % |\n|---|\n| % |", "<div>%</div>", "a <b %> c", "[%]\n\n[%]: https://e.com/%",
	}
}

func TestNoControlCharacterOfTheTextReachesTheTerminal(t *testing.T) {
	for _, w := range wrappers() {
		for _, h := range hostile() {
			md := strings.ReplaceAll(w, "%", h)
			checkControls(t, md, render.Plain(md, 40), false)
			checkControls(t, md, render.Style{Width: 40, Color: true, Links: true}.Markdown(md), true)
		}
	}
	s := render.Style{Width: 40, Color: true, Links: true}
	for _, h := range hostile() {
		for _, got := range []string{s.Bold(h), s.Dim(h), s.URL("https://e.com/" + h), s.URL(h), s.Wrap(h)} {
			checkControls(t, h, got, true)
		}
		checkControls(t, h, render.Truncate(h, 3), false)
		checkControls(t, h, render.Clean(h), false)
	}
}

// checkControls fails when out holds a control character but line breaks and, where
// styled, the escape codes that this package writes.
func checkControls(t *testing.T, source, out string, styled bool) {
	t.Helper()
	rest := out
	if styled {
		rest = ours().Replace(rest)
		for {
			before, after, found := strings.Cut(rest, "\x1b]8;;")
			if !found {
				break
			}
			target, tail, closed := strings.Cut(after, "\x1b\\")
			if !closed || strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r > '~' }) {
				t.Errorf("%q: hyperlink to %q in %q", source, target, out)
			}
			rest = before + tail
		}
	}
	for _, r := range rest {
		if r != '\n' && (unicode.IsControl(r) || r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069') {
			t.Errorf("%q: %U in %q", source, r, out)
			return
		}
	}
}

func ours() *strings.Replacer {
	var pairs []string
	for _, codes := range []string{
		"0", "1", "2", "3", "4", "9", "36", "1;4", "1;3", "1;36", "2;36", "3;36", "4;36", "1;4;36", "1;3;4", "1;9", "3;4", "1;3;36", "9;36", "2;4", "2;3", "3;9", "4;9", "1;4;9",
	} {
		pairs = append(pairs, "\x1b["+codes+"m", "")
	}
	return strings.NewReplacer(pairs...)
}

func TestOnlyHarmlessSchemesAreHyperlinks(t *testing.T) {
	s := render.Style{Links: true}
	for _, target := range []string{"javascript:alert(1)", "file:///etc/passwd", "ssh://host", "x", "//example.com", "https://exa mple\x1b"} {
		if got := s.URL(target); strings.Contains(got, "\x1b]8;;"+target) {
			t.Errorf("URL(%q) = %q is a hyperlink", target, got)
		}
		if got := s.Markdown("[text](<" + target + ">)"); !strings.HasPrefix(got, "text (") {
			t.Errorf("link to %q = %q, want its address shown", target, got)
		}
	}
	want := "\x1b]8;;https://example.com/%D9%82\x1b\\text\x1b]8;;\x1b\\"
	if got := s.Markdown("[text](https://example.com/ق)"); got != want {
		t.Errorf("Markdown = %q, want %q", got, want)
	}
}

func TestIndent(t *testing.T) {
	cases := []struct{ text, first, want string }{
		{"a\nb\n\nc", "1. ", "1. a\n   b\n\n   c"},
		{"", "1. ", ""},
		{"\nb", "  ", "\n  b"},
	}
	for _, c := range cases {
		if got := render.Indent(c.text, c.first); got != c.want {
			t.Errorf("Indent(%q, %q) = %q, want %q", c.text, c.first, got, c.want)
		}
	}
}

func TestTruncate(t *testing.T) {
	cases := []struct {
		text  string
		width int
		want  string
	}{
		{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"too long a line", 7, "too lo…"}, {"日本語テキスト", 7, "日本語…"}, {"a\nb", 9, "a b"},
	}
	for _, c := range cases {
		if got := render.Truncate(c.text, c.width); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, w := range wrappers() {
		for _, h := range hostile() {
			f.Add(strings.ReplaceAll(w, "%", h))
		}
	}
	f.Fuzz(func(t *testing.T, md string) {
		checkControls(t, md, render.Plain(md, 30), false)
		render.Style{Width: 30, Color: true, Links: true}.Markdown(md)
	})
}
