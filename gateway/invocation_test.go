package gateway_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"footnote/gateway"
)

func TestParseInvocation(t *testing.T) {
	type want = gateway.Invocation
	limit := func(v string) map[string]string { return map[string]string{"limit": v} }
	cases := []struct {
		name, text string
		want       want
	}{
		{"bare", "/kb", want{Name: "kb"}},
		{"subcommand", "/kb list", want{Name: "kb", Args: []string{"list"}}},
		{"any case", "/KB List", want{Name: "kb", Args: []string{"List"}}},
		{"words and rest", "/kb search pg max  connections", want{
			Name: "kb", Args: []string{"search", "pg", "max", "connections"}, Rest: "pg max  connections",
		}},
		{"leading and trailing junk", "\u200b\ufeff \n/kb list\u00a0\u200e\n", want{Name: "kb", Args: []string{"list"}}},
		{"copied with backticks", "`/kb list`", want{Name: "kb", Args: []string{"list"}}},
		{"newlines separate", "/kb\nadd\ndocs\r\nhttps://example.com", want{
			Name: "kb", Args: []string{"add", "docs", "https://example.com"}, Rest: "docs \nhttps://example.com",
		}},
		{"exotic spaces", "/kb\u00a0search\u2003pg\u3000vacuum", want{
			Name: "kb", Args: []string{"search", "pg", "vacuum"}, Rest: "pg vacuum",
		}},
		{"straight quotes", `/kb search pg "max connections" now`, want{
			Name: "kb", Args: []string{"search", "pg", "max connections", "now"}, Rest: `pg "max connections" now`,
		}},
		{"curly quotes", "/kb search “my docs” ‘a b’", want{
			Name: "kb", Args: []string{"search", "my docs", "a b"}, Rest: "“my docs” ‘a b’",
		}},
		{"curly opened, straight closed", "/kb search “my docs\" x", want{
			Name: "kb", Args: []string{"search", "my docs", "x"}, Rest: "“my docs\" x",
		}},
		{"apostrophes are letters", "/kb ask what’s the server's 'tis limit", want{
			Name: "kb", Args: []string{"ask", "what’s", "the", "server's", "'tis", "limit"}, Rest: "what’s the server's 'tis limit",
		}},
		{"unclosed quote is a word", `/kb ask say "hello`, want{
			Name: "kb", Args: []string{"ask", "say", `"hello`}, Rest: `say "hello`,
		}},
		{"Slack link", "/kb add docs <https://example.com/a?x=1&amp;y=2>", want{
			Name: "kb", Args: []string{"add", "docs", "https://example.com/a?x=1&y=2"}, Rest: "docs https://example.com/a?x=1&y=2",
		}},
		{"Slack link with label", "/kb add docs <http://example.com|example.com> 3", want{
			Name: "kb", Args: []string{"add", "docs", "http://example.com", "3"}, Rest: "docs http://example.com 3",
		}},
		{"mail link", "/kb ask who is <mailto:a@b.c|a@b.c>", want{
			Name: "kb", Args: []string{"ask", "who", "is", "a@b.c"}, Rest: "who is a@b.c",
		}},
		{"placeholder stays", "/kb search <id> a < b", want{
			Name: "kb", Args: []string{"search", "<id>", "a", "<", "b"}, Rest: "<id> a < b",
		}},
		{"entities once", "/kb ask a &lt;b&gt; &amp;lt; &nbsp; R&D", want{
			Name: "kb", Args: []string{"ask", "a", "<b>", "&lt;", "&nbsp;", "R&D"}, Rest: "a <b> &lt; &nbsp; R&D",
		}},
		{"option", "/kb search pg vacuum --limit 5", want{
			Name: "kb", Args: []string{"search", "pg", "vacuum"}, Options: limit("5"), Rest: "pg vacuum",
		}},
		{"option with equals", "/kb search --limit=5 pg vacuum full", want{
			Name: "kb", Args: []string{"search", "pg", "vacuum", "full"}, Options: limit("5"), Rest: "pg vacuum full",
		}},
		{"option before the subcommand", "/kb --limit 5 search pg x", want{
			Name: "kb", Args: []string{"search", "pg", "x"}, Options: limit("5"), Rest: "pg x",
		}},
		{"option in the middle", "/kb search pg a --LIMIT “5” b", want{
			Name: "kb", Args: []string{"search", "pg", "a", "b"}, Options: limit("5"), Rest: "pg a b",
		}},
		{"em dash option", "/kb search pg x —limit 5", want{
			Name: "kb", Args: []string{"search", "pg", "x"}, Options: limit("5"), Rest: "pg x",
		}},
		{"en dash option", "/kb search pg x –limit=5", want{
			Name: "kb", Args: []string{"search", "pg", "x"}, Options: limit("5"), Rest: "pg x",
		}},
		{"bare option", "/kb search pg x --limit", want{
			Name: "kb", Args: []string{"search", "pg", "x"}, Options: limit("true"), Rest: "pg x",
		}},
		{"other flags are words", "/kb search git commit --no-verify -n — now", want{
			Name: "kb", Args: []string{"search", "git", "commit", "--no-verify", "-n", "—", "now"}, Rest: "git commit --no-verify -n — now",
		}},
		{"quoted option is a word", `/kb search git "--limit" x`, want{
			Name: "kb", Args: []string{"search", "git", "--limit", "x"}, Rest: `git "--limit" x`,
		}},
		{"mention", "@footnote kb list", want{Name: "kb", Args: []string{"list"}}},
		{"mention with slash", "@footnote /kb list", want{Name: "kb", Args: []string{"list"}}},
		{"mention with colon", "@footnote: /kb list", want{Name: "kb", Args: []string{"list"}}},
		{"mention markup", "<@U0BOT> kb list", want{Name: "kb", Args: []string{"list"}}},
		{"nickname markup", "<@!42> kb list", want{Name: "kb", Args: []string{"list"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := gateway.ParseInvocation(c.text)
			if !ok {
				t.Fatalf("ParseInvocation(%q) is no command", c.text)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("ParseInvocation(%q) (-want +got):\n%s", c.text, d)
			}
		})
	}
}

func TestParseInvocationIsNoCommand(t *testing.T) {
	for _, text := range []string{
		"", " ", "/", "/k", "kb", "kb list", "/kbfoo", "/kbfoo list", "/kb-admin", "/kb/list", "/kb.", "//kb", "/ kb",
		"please /kb list", "@", "@footnote", "@footnote kbfoo", "@footnote what is kb", "@ kb list", "<@U1>", "<@U1 kb",
		"/kb@", "/kb@OtherBot list", "`", "``", "/\u212Ab", // the Kelvin sign folds to k
	} {
		if got, ok := gateway.ParseInvocation(text); ok {
			t.Errorf("ParseInvocation(%q) = %+v, want no command", text, got)
		}
	}
}

func TestGrammarKnowsItsBot(t *testing.T) {
	g := gateway.Grammar{BotNames: []string{"KbBot", "U0BOT", "Foot Note"}, Options: []string{"scope"}}
	cases := []struct {
		text string
		ours bool
	}{
		{"/kb@KbBot list", true},
		{"/kb@kbbot list", true},
		{"/KB@KBBOT", true},
		{"/kb@KbBot2 list", false},
		{"/kb@Kb list", false},
		{"/kb@OtherBot list", false},
		{"@KbBot kb list", true},
		{"@kbbot, /kb list", true},
		{"@KbBot2 kb list", false},
		{"@other kb list", false},
		{"@Foot Note kb list", true},
		{"<@U0BOT> kb list", true},
		{"<@U0BOT|footnote> kb list", true},
		{"<@U1|KbBot> kb list", true},
		{"<@U1> kb list", false},
	}
	for _, c := range cases {
		if _, ok := g.Parse(c.text); ok != c.ours {
			t.Errorf("Parse(%q) ours = %v, want %v", c.text, ok, c.ours)
		}
	}
	inv, _ := g.Parse("/kb crawl a b --scope tree --limit 5")
	want := gateway.Invocation{
		Name: "kb", Args: []string{"crawl", "a", "b", "--limit", "5"},
		Options: map[string]string{"scope": "tree"}, Rest: "a b --limit 5",
	}
	if d := cmp.Diff(want, inv); d != "" {
		t.Errorf("own options (-want +got):\n%s", d)
	}
}

// Every run of letters and digits that somebody typed after the command word is in
// what the command gets, whatever stands around it.
func FuzzParseInvocation(f *testing.F) {
	for _, seed := range []string{
		"/kb", "/kb search pg \"a b\" --limit 5", "/kb —limit=“5” x ‘y z’", "@bot: /kb ask a<b>c", "<@U1|x> kb \"", "/kb \" ' ” « »",
		"/kb@bot x", "/kb --limit --limit 3", "/kb <https://x|y>", "/kb &amp;&lt;", "`/kb x`", "/kb \xff\xfe", "/kb a\u2028b", "/kb --limit=\"a b\" c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		inv, ok := gateway.ParseInvocation(text)
		if !ok {
			if inv.Name != "" || inv.Args != nil || inv.Options != nil || inv.Rest != "" {
				t.Fatalf("no command, but %+v", inv)
			}
			return
		}
		if inv.Name != "kb" {
			t.Fatalf("Name = %q", inv.Name)
		}
		if strings.ContainsAny(text, "<&") {
			return // links and entities are rewritten
		}
		var said strings.Builder
		for _, a := range inv.Args {
			said.WriteString(a + " ")
		}
		for name, value := range inv.Options {
			said.WriteString(name + " " + value + " ")
		}
		// An option given twice keeps its last value.
		if strings.Count(strings.ToLower(text), "limit") > 1 {
			return
		}
		_, typed, _ := strings.Cut(strings.ToLower(text), "kb")
		got := strings.ToLower(said.String())
		for _, w := range strings.FieldsFunc(typed, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !strings.Contains(got, w) {
				t.Fatalf("%q: word %q is lost in %+v", text, w, inv)
			}
		}
		// Rest is of the same words, less the subcommand and the options.
		if len(inv.Args) == 0 && inv.Rest != "" {
			t.Fatalf("%q: rest %q without arguments", text, inv.Rest)
		}
		for _, a := range inv.Args[min(1, len(inv.Args)):] {
			if !strings.Contains(inv.Rest, a) {
				t.Fatalf("%q: argument %q is not in rest %q", text, a, inv.Rest)
			}
		}
	})
}
