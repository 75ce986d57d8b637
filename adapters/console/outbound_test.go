package console

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"footnote/adapters/render"
	"footnote/gateway"
)

// replies are one of each kind that the handlers make.
func replies() map[string]gateway.Reply {
	return map[string]gateway.Reply{
		"hits": {Text: "3 hits in **postgres**.", Hits: []gateway.Hit{
			{
				Library: "postgres", Title: "20.3. Connections", Section: "Server Configuration > Connection Settings", URL: "https://www.postgresql.org/docs/current/runtime-config-connection.html#GUC-MAX-CONNECTIONS",
				Snippet: "Determines the maximum number of concurrent **connections** to the database server. The default is typically 100 **connections**.", Grade: "best", Evidence: 0.91, Age: "3 days",
			},
			{Library: "postgres", Title: "20.4. Resource <Consumption>", URL: "https://www.postgresql.org/docs/current/x.html", Snippet: "`work_mem`", Grade: "good", Evidence: 0.5},
			{Library: "django", Title: "Databases", Section: "Persistent connections", URL: "https://docs.djangoproject.com/", Snippet: "**Persistent** connections", Grade: "possible", Evidence: 0.2, Age: "today"},
		}},
		"related": {Hits: []gateway.Hit{{Library: "pg", Title: "T", URL: "https://e.com", Grade: "possible"}}},
		"answer": {
			Text: "The default is typically 100 connections [1].\n\n📚 This data is from Knowledge “postgres”.",
			Sources: []gateway.Source{
				{Library: "postgres", Title: "20.3. Connections and Authentication", Section: "Connection Settings", URL: "https://www.postgresql.org/docs/current/runtime-config-connection.html", Age: "3 days"},
				{Library: "postgres", Title: "VACUUM", URL: "https://www.postgresql.org/docs/current/sql-vacuum.html"},
			},
		},
		"fields": {Text: "## postgres", Fields: []gateway.Field{
			{Name: "Pages", Value: "812"},
			{Name: "説明", Value: "a **bold** value that is long enough to be wrapped under itself twice at least, I should think"},
			{Name: "Start URL", Value: "<https://www.postgresql.org/docs/current/>"},
			{Name: "Failures", Value: "- one\n- two"},
			{Name: "Empty"},
		}},
		"confirm": {Text: "Delete **postgres** with 812 pages?", Confirm: "7f3a91", Buttons: []gateway.Button{
			{Label: "Delete", Command: "/kb confirm 7f3a91", Danger: true}, {Label: "Show it", Command: "/kb status postgres"},
		}},
		"code":     {Text: "There is no library “postgre”. Did you mean `postgres`?", Code: "not_found", Ephemeral: true},
		"question": {Text: "Really?", Confirm: "abc"},
		"asked":    {Text: "Delete **pg**? `/kb confirm abc`", Confirm: "abc", Buttons: []gateway.Button{{Label: "Delete pg", Command: "/kb confirm abc"}}},
		"hostile": {
			Text: "\x1b[2Jgone", Hits: []gateway.Hit{{Library: "a\x1bb", Title: "t\u202ex\r\ny", Section: "s\x07", URL: "https://e.com/\x1b]0;x\x07 y", Snippet: "\u009b31m", Age: "\x00"}},
			Sources: []gateway.Source{{Title: "\x1bT", URL: "\x1bU"}}, Fields: []gateway.Field{{Name: "n\x1b", Value: "v\x1b"}}, Confirm: "c\x1b", Buttons: []gateway.Button{{Label: "l\x1b", Command: "/kb \x1b"}},
		},
	}
}

// UPDATE_GOLDEN=1 writes the golden files anew.
func TestHuman(t *testing.T) {
	plainCodes := strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[0m", "")
	for name, r := range replies() {
		for suffix, style := range map[string]render.Style{".txt": {Width: 60}, ".pipe.txt": {}, ".ansi.txt": {Width: 60, Color: true}} {
			t.Run(name+suffix, func(t *testing.T) {
				golden := filepath.Join("testdata", name+suffix)
				got := human(r, style) + "\n"
				if name == "hostile" {
					if rest := plainCodes.Replace(got); strings.ContainsAny(rest, "\x1b\x07\x00\r\u009b\u202e") {
						t.Errorf("control characters in %q", got)
					}
				}
				got = strings.ReplaceAll(got, "\x1b", "^[")
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

// A line of JSON has these names alone, on one line, with what is empty left out.
func TestJSONLines(t *testing.T) {
	type schema struct {
		ReplyTo *string `json:"reply_to"`
		Text    *string `json:"text"`
		Hits    []struct {
			Library  *string  `json:"library"`
			Title    *string  `json:"title"`
			Section  *string  `json:"section"`
			URL      *string  `json:"url"`
			Snippet  *string  `json:"snippet"`
			Grade    *string  `json:"grade"`
			Evidence *float64 `json:"evidence"`
			Age      *string  `json:"age"`
		} `json:"hits"`
		Sources []struct {
			Library *string `json:"library"`
			Title   *string `json:"title"`
			Section *string `json:"section"`
			URL     *string `json:"url"`
		} `json:"sources"`
		Confirm  *string `json:"confirm"`
		Code     *string `json:"code"`
		Progress *struct {
			Done  *int    `json:"done"`
			Total *int    `json:"total"`
			Unit  *string `json:"unit"`
		} `json:"progress"`
		Final *bool `json:"final"`
	}
	all := replies()
	all["progress"] = gateway.Reply{Text: "Crawling", Progress: &gateway.Progress{Done: 0, Total: 200, Unit: "pages"}}
	all["empty"] = gateway.Reply{}
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			line := jsonLine("7", r)
			if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
				t.Fatalf("not one line: %q", line)
			}
			dec := json.NewDecoder(strings.NewReader(line))
			dec.DisallowUnknownFields()
			var got schema
			if err := dec.Decode(&got); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			if got.ReplyTo == nil || *got.ReplyTo != "7" {
				t.Errorf("reply_to of %s", line)
			}
			if final := got.Final != nil && *got.Final; final != (r.Progress == nil) || got.Final != nil && !*got.Final {
				t.Errorf("final of %s", line)
			}
			if (got.Code == nil) != (r.Code == "") || (got.Confirm == nil) != (r.Confirm == "") || len(got.Hits) != len(r.Hits) || len(got.Sources) != len(r.Sources) {
				t.Errorf("%s of %+v", line, r)
			}
			for _, empty := range []string{`""`, `[]`, `null`, `{}`} {
				if strings.Contains(line, ":"+empty) {
					t.Errorf("%s is not left out of %s", empty, line)
				}
			}
			if strings.ContainsAny(line, "\x1b\x00\x07\r\u009b\u202e") {
				t.Errorf("control characters in %q", line)
			}
			for _, f := range r.Fields {
				if !strings.Contains(*got.Text, f.Name+": "+f.Value) {
					t.Errorf("field %s is not in %q", f.Name, *got.Text)
				}
			}
		})
	}
	t.Run("exactly", func(t *testing.T) {
		got := jsonLine("", gateway.Reply{
			Text: "a <b> & “c”", Hits: []gateway.Hit{{Library: "pg", Title: "T", Section: "A > B", URL: "https://e.com/?a=1&b=2#c", Snippet: "**x**", Grade: "best", Evidence: 0.5, Age: "today"}},
			Sources: []gateway.Source{{Library: "pg", Title: "T", Section: "S", URL: "u", Age: "today"}}, Confirm: "c", Code: "not_found",
		})
		want := `{"text":"a <b> & “c”","hits":[{"library":"pg","title":"T","section":"A > B","url":"https://e.com/?a=1&b=2#c","snippet":"**x**","grade":"best","evidence":0.5,"age":"today"}],` +
			`"sources":[{"library":"pg","title":"T","section":"S","url":"u"}],"confirm":"c","code":"not_found","final":true}` + "\n"
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
	t.Run("controls are escaped, not changed", func(t *testing.T) {
		text := "a\u009bb\x7f\u202ec\x1b\td"
		line := jsonLine("", gateway.Reply{Text: text})
		want := `{"text":"a\u009bb\u007f\u202ec\u001b\td","final":true}` + "\n"
		if d := cmp.Diff(want, line); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		var got struct{ Text string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Text != text {
			t.Errorf("read back %q, %v", got.Text, err)
		}
	})
	t.Run("no number", func(t *testing.T) {
		got := jsonLine("7", gateway.Reply{Hits: []gateway.Hit{{Evidence: math.NaN()}}})
		if !json.Valid(bytes.TrimSpace([]byte(got))) || !strings.Contains(got, "internal_error") {
			t.Errorf("jsonLine = %q", got)
		}
	})
}

func TestProgressLineFits(t *testing.T) {
	r := gateway.Reply{Text: "Crawling **https://example.com/a/very/long/path**\n\nof docs", Progress: &gateway.Progress{Done: 50, Total: 200, Unit: "pages"}}
	cases := []struct {
		text, hint string
		width      int
		want       string
	}{
		{r.Text, "", 0, "Crawling https://example.com/a/very/long/path of docs · 50 of 200 pages · 25 %"},
		{r.Text, "leave it", 20, "Crawling https://e…"},
		{"Crawling **pg**: 50 of 200 pages.", "leave it", 0, "Crawling pg: 50 of 200 pages · 25 % · leave it"},
		{"Crawling **pg**: 50 of 200 pages, 2 failed.", "", 0, "Crawling pg: 50 of 200 pages, 2 failed · 25 %"},
	}
	for _, c := range cases {
		r.Text = c.text
		if got := progressLine(r, render.Style{Width: c.width}, c.hint); got != c.want {
			t.Errorf("at %d: %q, want %q", c.width, got, c.want)
		}
	}
}
