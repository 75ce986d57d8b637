package fetch

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// metaReach is how far into a page its <meta charset> is looked for, in bytes; the
// standard's 1,024 are too few for pages that begin with comments.
const metaReach = 4096

// utf8Text turns a body into valid UTF-8. A byte order mark counts first, then what
// the bytes themselves prove (text with accents that is valid UTF-8 is UTF-8, whatever
// its label), then the header, then the page's <meta>, then a guess.
func utf8Text(body []byte, label string, kind Kind) []byte {
	if e, n := byteOrderMark(body); n > 0 {
		return decode(body[n:], e)
	}
	escapes := bytes.IndexByte(body, 0x1b) >= 0 // ISO-2022 and the like are ASCII on the surface
	if !escapes && bytes.IndexByte(body, 0) < 0 && utf8.Valid(body) {
		return body
	}
	e, name := charset.Lookup(label)
	if (e == nil || name == "utf-8") && kind == HTML {
		e, name = declared(body)
	}
	if e == nil || name == "utf-8" || name == "replacement" {
		if utf8.Valid(body) || mostlyUTF8(body) {
			return bytes.ToValidUTF8(body, []byte("\uFFFD"))
		}
		e = guess(body)
	}
	return decode(body, e)
}

func byteOrderMark(body []byte) (encoding.Encoding, int) {
	for _, mark := range []struct{ bytes, label string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(body, []byte(mark.bytes)) {
			e, _ := charset.Lookup(mark.label)
			return e, len(mark.bytes)
		}
	}
	return nil, 0
}

// declared finds the charset that a page's <meta> names.
func declared(body []byte) (encoding.Encoding, string) {
	rest := body[:min(len(body), metaReach)]
	for {
		i := bytes.Index(bytes.ToLower(rest), []byte("<meta"))
		if i < 0 {
			return nil, ""
		}
		e, name, certain := charset.DetermineEncoding(rest[i:], "")
		if certain || name != "windows-1252" { // which is its way of saying that it found nothing
			return e, name
		}
		rest = rest[i+1:]
	}
}

// mostlyUTF8 tells UTF-8 with a few broken bytes from another charset.
func mostlyUTF8(body []byte) bool {
	good, bad := 0, 0
	for len(body) > 0 {
		r, n := utf8.DecodeRune(body)
		switch {
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		body = body[n:]
	}
	return good > 4*bad
}

// guess chooses a charset for text that names none. Western text has single bytes
// above ASCII between others, Arabic and Cyrillic have runs of them; in Arabic the
// commonest letters (alef, and those up to kaf) lie where Cyrillic has its capitals.
func guess(body []byte) encoding.Encoding {
	high, runs, capitals, before := 0, 0, 0, false
	for _, c := range body {
		if c >= 0x80 {
			high++
			if !before {
				runs++
			}
			if c >= 0xc0 && c <= 0xdf {
				capitals++
			}
		}
		before = c >= 0x80
	}
	switch {
	case runs == 0 || high*10 < runs*22: // runs of less than 2.2 bytes
		return charmap.Windows1252
	case capitals*100 > high*30:
		return charmap.Windows1256
	default:
		return charmap.Windows1251
	}
}

// decode never fails: what the charset does not know becomes U+FFFD.
func decode(body []byte, e encoding.Encoding) []byte {
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return bytes.ToValidUTF8(out, []byte("\uFFFD"))
}
