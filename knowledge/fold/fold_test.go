package fold

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestIndex(t *testing.T) {
	tests := []struct{ name, lang, text, want string }{
		{"case and English stems", "", "Connections are CONNECTED", "connect are connect"},
		{"snake case", "en", "set max_connections now", "set max_connections max connect now"},
		{"Markdown escapes an underscore", "en", `max\_connections`, "max_connections max connect"},
		{"option", "en", "pass --no-verify (or -v)", "pass --no-verify no verifi or -v v"},
		{"a dash is no option", "en", "word--word - word -1", "word word word 1"},
		{"camel case is a word and its parts", "en", "CamelCase HTMLParser PostgreSQL SQLite", "camelcas camel case htmlparser html parser postgresql postgr sql sqlite lite"},
		{"dotted name", "en", "os.path.join(x).", "os.path.join os path join x"},
		{"path", "en", "edit /etc/pg_hba.conf.", "edit /etc/pg_hba.conf etc pg_hba.conf pg_hba pg hba conf"},
		{"qualified name", "en", "pg_catalog.pg_stat_activity", "pg_catalog.pg_stat_activity pg_catalog pg catalog pg_stat_activity pg stat activ"},
		{"hyphen", "en", "kb-admin", "kb-admin kb admin"},
		{"C++ and C#", "en", "C++, C#. C++11 F# a+b i++", "c++ c c# c c++11 c 11 f# f a b i++ i"},
		{"scope, decorator, variable, directive, dot file", "en", "std::string @property $PATH #include .gitignore", "std::string std string @property properti $path path #include includ .gitignore gitignor"},
		{"option in quotes", "en", "“--no-verify”", "--no-verify no verifi"},
		{"dunder", "en", "__init__", "__init__ init"},
		{"numbers", "en", "3.11 1,200", "3.11 3 11 1 200"},
		{"possessive and contraction", "en", "table's don't they’re", "tabl don they re"},
		{"link target is not text", "en", "[see](https://example.com/a) x](y)", "see x y"},
		{"diacritics and ligatures", "en", "résumé ﬁle Øre straße", "resum file ore strass"},
		{"soft hyphen and joiner", "en", "con\u00adnect", "connect"},
		{"full width", "en", "ＡＢＣ１", "abc1"},
		{"German", "de", "Verbindungen größer", "verbind gross"},
		{"French", "fr-CA", "Les connexions annulées", "le connex annul"},
		{"Spanish", "es", "las conexiones", "las conexion"},
		{"language without a stemmer is read as English", "pl", "connections", "connect"},
		{"Cyrillic by script", "en", "подключения", "подключен"},
		{"Arabic hamza, article, teh marbuta, vowels", "ar", "أحمد المدرسة مُحَمَّد فريقًا", "احمد مدرس محمد ريق"},
		{"Arabic alef maksura, tatweel, digits", "ar", "على كتـــاب ٣٠ ۳۰", "علي كتاب 30 30"},
		{"Arabic affixes leave three letters", "ar", "والد بيت", "والد بيت"},
		{"Arabic particles, before and behind the article", "ar", "بيانات البيانات والبيانات وبيانات", "يان يان يان يان"},
		{"Chinese", "zh", "数据库", "数 据 数据 库 据库"},
		{"Japanese", "ja", "水とデータ", "水 水と とデ デー ータ"},
		{"one character", "zh", "水 火", "水 火"},
		{"Thai", "th", "ใจดี", "ใจ จดี"},
		{"empty", "en", " \n.,;!", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Index(tt.text, tt.lang)); diff != "" {
				t.Errorf("Index (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTokensStandWhereTheyCameFrom(t *testing.T) {
	text := `Née: max\_connections (بالمدرسة)`
	var got []string
	for _, tok := range Tokens(text, "en") {
		got = append(got, tok.Text+"="+text[tok.Start:tok.End])
	}
	want := []string{"nee=Née", `max_connections=max\_connections`, "max=max", "connect=connections", "مدرس=بالمدرسة"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

func TestLongTermIsCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", 500), strings.Repeat("é", 500), strings.Repeat("a_", 300)} {
		whole := Tokens(text, "en")[0]
		if len(whole.Text) > maxTerm || !utf8.ValidString(whole.Text) {
			t.Errorf("term of %d bytes: %q", len(whole.Text), whole.Text)
		}
		if q := Question(text)[0]; q.Forms[0] != whole.Text {
			t.Errorf("question cuts otherwise: %q", q.Forms)
		}
	}
}

func TestQuestion(t *testing.T) {
	show := func(terms []Term) []string {
		var out []string
		for _, q := range terms {
			s := q.Word + "=" + strings.Join(q.Forms, "|")
			if q.Stop {
				s += "!stop"
			}
			if q.Identifier {
				s += "!name"
			}
			if q.Part {
				s += "!part"
			}
			out = append(out, s)
		}
		return out
	}
	tests := []struct {
		name, text string
		langs      []string
		want       []string
	}{
		{"function words", "How do I limit it?", nil, []string{"How=how!stop", "do=do!stop", "I=i!stop", "limit=limit", "it=it!stop"}},
		{"quantity", "limit the number of locks, a number", nil, []string{"limit=limit", "the=the!stop", "number=number!stop", "of=of!stop", "locks=lock", "a=a!stop"}},
		{"keyword in capitals is meant", "what does WHERE do", nil, []string{"what=what!stop", "does=doe!stop", "WHERE=where", "do=do!stop"}},
		{"a shouted question has function words", "WHAT IS VACUUM", nil, []string{"WHAT=what!stop", "IS=is!stop", "VACUUM=vacuum"}},
		{"whole and parts", "max_connections", nil, []string{"max_connections=max_connections!name", "max=max!part", "connections=connect!part"}},
		{"option with and without dashes", "--dry-run", nil, []string{"--dry-run=--dry-run|dry-run|dryrun!name", "dry=dri!part", "run=run!part"}},
		{"both stemmers", "connections", []string{"de", "en"}, []string{"connections=connect|connection"}},
		{"typed without accents", "resumes annulee", []string{"fr"}, []string{"resumes=resum", "annulee=annule"}},
		{"ambiguous function word", "comment", []string{"fr"}, []string{"comment=comment!stop"}},
		{"the same in English", "comment", nil, []string{"comment=comment"}},
		{"repeated", "lock locks LOCKED", nil, []string{"lock=lock"}},
		{"Arabic", "ما هي المدرسة", nil, []string{"ما=ما!stop", "هي=هي!stop", "المدرسة=مدرس"}},
		{"Chinese by bigrams", "数据库", nil, []string{"数据=数据", "据库=据库"}},
		{"empty", "?", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, show(Question(tt.text, tt.langs...))); diff != "" {
				t.Errorf("Question (-want +got):\n%s", diff)
			}
		})
	}
}

// The hash of a fixed text's folding under every kind of language. When the rules change,
// stores must be rebuilt: raise Version, then enter the new pair here.
func TestVersionFollowsTheRules(t *testing.T) {
	const version, want = 3, "60f408760af15f67"
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, lang := range []string{"en", "da", "nl", "fi", "fr", "de", "hu", "ga", "it", "no", "pt", "ro", "es", "sv", "tr", "ar"} {
		h.Write([]byte(Index(string(text), lang) + "\n"))
	}
	got := hex.EncodeToString(h.Sum(nil))[:16]
	if got != want || Version != version {
		t.Errorf("folding is %s under version %d, recorded are %s under version %d: raise Version if the rules changed", got, Version, want, version)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"max_connections --no-verify C++ a.b.c", "مُحَمَّد ٣٠", "数据库 x", `a\_b](http://x) l'homme`, "\xff_\xfe-a", "ﬁ½²™ a\u200db İ", "น้ำ", "/etc/.x://y:::z C#++"} {
		f.Add(s, "en")
		f.Add(s, "fr")
	}
	f.Fuzz(func(t *testing.T, text, lang string) {
		tokens := Tokens(text, lang)
		terms := make([]string, len(tokens))
		for i, tok := range tokens {
			terms[i] = tok.Text
			if tok.Start < 0 || tok.Start >= tok.End || tok.End > len(text) {
				t.Fatalf("token %q at [%d,%d) of %d bytes", tok.Text, tok.Start, tok.End, len(text))
			}
			if tok.Text == "" || len(tok.Text) > maxTerm || strings.ContainsFunc(tok.Text, foreign) {
				t.Fatalf("term %q is outside the alphabet", tok.Text)
			}
		}
		if got := Index(text, lang); got != strings.Join(terms, " ") {
			t.Fatalf("Index is %q, Tokens are %q", got, terms)
		}
		for _, q := range Question(text, lang) {
			if !slices.ContainsFunc(q.Forms, func(form string) bool { return slices.Contains(terms, form) }) {
				t.Fatalf("the text does not hold its own word %q: forms %q, terms %q", q.Word, q.Forms, terms)
			}
		}
	})
}

// foreign says that a character is outside the documented alphabet.
func foreign(r rune) bool {
	if r == utf8.RuneError {
		return true
	}
	if r < utf8.RuneSelf {
		return !unicode.IsLower(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/+#@$", r)
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

func BenchmarkIndex(b *testing.B) {
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		b.Fatal(err)
	}
	prose, _, _ := strings.Cut(string(text), "----")
	passage := prose[:min(len(prose), 1000)]
	b.SetBytes(int64(len(passage)))
	for b.Loop() {
		Index(passage, "en")
	}
}
