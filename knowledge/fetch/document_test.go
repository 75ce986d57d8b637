package fetch_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"

	"footnote/knowledge"
	"footnote/knowledge/fetch"
)

func TestKind(t *testing.T) {
	const html = "<!doctype html><p>x"
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct {
		name, path, label, body string
		want                    fetch.Kind // 0 is refused
		says                    string
	}{
		{"html", "/", "text/html", html, fetch.HTML, ""},
		{"html with charset", "/", "Text/HTML; Charset=UTF-8", html, fetch.HTML, ""},
		{"xhtml", "/", "application/xhtml+xml", "<html/>", fetch.HTML, ""},
		{"xhtml as xml", "/", "application/xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, fetch.HTML, ""},
		{"no label", "/", "", html, fetch.HTML, ""},
		{"octets that are html", "/", "application/octet-stream", html, fetch.HTML, ""},
		{"text that is html", "/", "text/plain", html, fetch.HTML, ""},
		{"markdown", "/", "text/markdown", "# x", fetch.Markdown, ""},
		{"markdown by name", "/a.md", "text/plain", "# x", fetch.Markdown, ""},
		{"markdown by name, no label", "/a.md", "", "# x", fetch.Markdown, ""},
		{"text", "/a.txt", "text/plain", "x", fetch.Text, ""},
		{"empty html", "/", "text/html", "", fetch.HTML, ""},
		{"pdf", "/", "application/pdf", "%PDF-1.7", 0, "application/pdf"},
		{"json", "/", "application/json", "{}", 0, "application/json"},
		{"stylesheet", "/", "text/css", "a{}", 0, "text/css"},
		{"feed", "/", "application/xml", "<?xml version='1.0'?><rss/>", 0, "text/xml"},
		{"image called html", "/", "text/html", png, 0, "image/png"},
		{"image called markdown", "/a.md", "text/markdown", png, 0, "image/png"},
		{"pdf called html", "/", "text/html", "%PDF-1.7 ...", 0, "application/pdf"},
		{"zip without label", "/", "", "PK\x03\x04....", 0, "application/zip"},
		{"binary called text", "/", "text/plain", "a\x00\x01\x02b", 0, "application/octet-stream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var headers []string
			if c.label != "" {
				headers = append(headers, "Content-Type: "+c.label)
			}
			client, at := serve(t, answer(200, []byte(c.body), headers...))
			got, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at+c.path)})
			if c.want == 0 {
				if knowledge.CodeOf(err) != knowledge.UnsupportedFormat || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want unsupported_format with %q", err, c.says)
				}
				return
			}
			if err != nil || got.Kind != c.want {
				t.Errorf("got %v, %v; want %v", got.Kind, err, c.want)
			}
		})
	}
}

func TestCharset(t *testing.T) {
	const (
		arabic  = "المنفذ الافتراضي هو 8443 ويمكن تغييره من ملف الاعدادات"
		russian = "порт по умолчанию равен 8443 и меняется в файле настроек"
		german  = "Größe und Übermaß der Schlüssel für ältere Geräte"
		nihongo = "ポート番号は設定ファイルで変更できます"
		hangul  = "기본 포트는 설정 파일에서 바꿀 수 있습니다"
	)
	in := func(e encoding.Encoding, text string) string {
		out, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct{ name, label, head, body, want string }{
		{"utf-8", "text/html; charset=utf-8", "", german, german},
		{"nothing said, utf-8", "text/html", "", arabic, arabic},
		{"byte order mark", "text/html; charset=iso-8859-1", "", "\ufeff" + german, german},
		{"utf-16 by its mark", "text/html", "", in(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), german), german},
		{"header", "text/html; charset=windows-1256", "", in(charmap.Windows1256, arabic), arabic},
		{"header in quotes", `text/html; charset="koi8-r"`, "", in(charmap.KOI8R, russian), russian},
		{"meta", "text/html", `<meta charset="windows-1251">`, in(charmap.Windows1251, russian), russian},
		{"old meta", "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">`, in(japanese.ShiftJIS, nihongo), nihongo},
		{"meta after a long comment", "text/html", "<!--" + strings.Repeat("x", 1500) + `--><meta charset="euc-kr">`, in(korean.EUCKR, hangul), hangul},
		{"header before meta", "text/html; charset=windows-1251", `<meta charset="windows-1256">`, in(charmap.Windows1251, russian), russian},
		{"escapes", "text/html; charset=iso-2022-jp", "", in(japanese.ISO2022JP, nihongo), nihongo},
		{"wrong header, valid utf-8", "text/html; charset=iso-8859-1", "", arabic, arabic},
		{"wrong utf-8 header, right meta", "text/html; charset=utf-8", `<meta charset="windows-1256">`, in(charmap.Windows1256, arabic), arabic},
		{"unknown header", "text/html; charset=klingon", "", german, german},
		{"nothing said, Arabic", "text/html", "", in(charmap.Windows1256, arabic), arabic},
		{"nothing said, Russian", "text/html", "", in(charmap.Windows1251, russian), russian},
		{"nothing said, German", "text/html", "", in(charmap.Windows1252, german), german},
		{"wrong utf-8 header, no meta", "text/html; charset=utf-8", "", in(charmap.Windows1252, german), german},
		{"utf-8 with a broken byte", "text/html; charset=utf-8", "", arabic + "\xff", arabic + "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, at := serve(t, answer(200, []byte(c.body), "Content-Type: "+c.label))
			if c.head != "" {
				client, at = serve(t, answer(200, []byte(c.head+c.body), "Content-Type: "+c.label))
			}
			got, err := client.Get(t.Context(), fetch.Request{URL: parse(t, at)})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.TrimPrefix(string(got.Body), c.head); text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte("<html>x"), "text/html")
	f.Add([]byte("\xff\xfea\x00"), "text/html; charset=utf-16")
	f.Add([]byte("\xc7\xe1"), "text/plain; charset=utf-8")
	if page, err := os.ReadFile("testdata/whatwg/README"); err == nil {
		f.Add(page, "text/plain")
	}
	f.Fuzz(func(t *testing.T, body []byte, label string) { fetch.ReadDocument(t, body, label) })
}
