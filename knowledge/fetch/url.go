package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"footnote/knowledge"
)

// maxURL is the longest address, in bytes, that is followed.
const maxURL = 2048

// Parse reads an address as a browser would (WHATWG): stray spaces, line breaks and
// backslashes are forgiven, hosts come out in their one canonical form ("0x7f.1" is
// 127.0.0.1, "BÜCHER.de" is xn--bcher-kva.de), default ports and dot segments go.
// ref is resolved against base, which may be nil. What is not http(s), has no host or
// carries credentials is refused (InvalidURL). A percent sign that begins no escape
// becomes %25, since net/url can write it no other way.
func Parse(base *url.URL, ref string) (*url.URL, error) {
	if len(ref) > 3*maxURL { // before any work: data: addresses, mostly
		return nil, tooLong()
	}
	text := strings.Trim(ref, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	if strings.ContainsAny(text, "\t\n\r") {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	}
	text, fragment, hasFragment := strings.Cut(text, "#")
	text, query, hasQuery := strings.Cut(text, "?")
	p := parts{query: query, hasQuery: hasQuery}
	if err := p.read(base, strings.ReplaceAll(text, `\`, "/"), ref); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(p.scheme + "://" + p.host)
	b.WriteString(escape(dotless(p.path), " \"<>^`{}|"))
	if p.hasQuery {
		b.WriteString("?" + escape(p.query, " \"'<>"))
	}
	if hasFragment {
		b.WriteString("#" + escape(fragment, " \"<>`"))
	}
	if b.Len() > maxURL {
		return nil, tooLong()
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, knowledge.Refuse(knowledge.InvalidURL, "%q is not a web address", shorten(ref))
	}
	return u, nil
}

func tooLong() *knowledge.Error {
	return knowledge.Refuse(knowledge.InvalidURL, "the address is longer than %d characters", maxURL)
}

// parts are the pieces of an address on its way to a url.URL.
type parts struct {
	scheme, host, path, query string
	hasQuery                  bool
}

// read fills p from text, the reference without query and fragment.
func (p *parts) read(base *url.URL, text, ref string) error {
	scheme, rest, absolute := cutScheme(text)
	switch {
	case absolute && scheme != "http" && scheme != "https":
		return knowledge.Refuse(knowledge.InvalidURL, "%q is a %s: address; only http and https pages can be read", shorten(ref), scheme)
	case absolute && (base == nil || base.Scheme != scheme || strings.HasPrefix(rest, "//")):
		p.scheme = scheme
		return p.authority(strings.TrimLeft(rest, "/"), ref)
	case absolute: // "http:page" beside another http page is relative
		text = rest
	case base == nil && text == "":
		return knowledge.Refuse(knowledge.InvalidURL, "the address is empty")
	case base == nil:
		return knowledge.Refuse(knowledge.InvalidURL, "%q names no protocol; write it with https:// in front", shorten(ref))
	}
	p.scheme = base.Scheme
	if strings.HasPrefix(text, "//") {
		return p.authority(strings.TrimLeft(text, "/"), ref)
	}
	p.host = base.Host
	dir := base.EscapedPath()
	switch {
	case strings.HasPrefix(text, "/"):
		p.path = text
	case text == "":
		p.path = dir
		if !p.hasQuery {
			p.query, p.hasQuery = base.RawQuery, base.RawQuery != ""
		}
	default:
		p.path = dir[:strings.LastIndexByte(dir, '/')+1] + text
	}
	return nil
}

// authority reads "host:port/path".
func (p *parts) authority(text, ref string) error {
	hostport, path := text, ""
	if i := strings.IndexByte(text, '/'); i >= 0 {
		hostport, path = text[:i], text[i:]
	}
	if strings.Contains(hostport, "@") {
		return knowledge.Refuse(knowledge.InvalidURL, "the address carries a user name or password; remove what stands before the @")
	}
	host, port := hostport, ""
	if i := strings.LastIndexByte(hostport, ':'); i >= 0 && !strings.HasSuffix(hostport, "]") {
		host, port = hostport[:i], hostport[i+1:]
	}
	canonical, err := canonicalHost(host)
	if err != nil {
		return knowledge.Refuse(knowledge.InvalidURL, "%q has no usable host: %v", shorten(ref), err)
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return knowledge.Refuse(knowledge.InvalidURL, "%q has no usable port", shorten(ref))
		}
		if isDefault := p.scheme == "http" && n == 80 || p.scheme == "https" && n == 443; !isDefault {
			canonical += ":" + strconv.FormatUint(n, 10)
		}
	}
	p.host, p.path = canonical, path
	return nil
}

// cutScheme splits "scheme:rest".
func cutScheme(text string) (scheme, rest string, ok bool) {
	for i, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		case i > 0 && (r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.'):
		case i > 0 && r == ':':
			return strings.ToLower(text[:i]), text[i+1:], true
		default:
			return "", text, false
		}
	}
	return "", text, false
}

// canonicalHost gives the one spelling of a host.
func canonicalHost(host string) (string, error) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !strings.HasSuffix(host, "]") || !addr.Is6() || addr.Zone() != "" {
			return "", errors.New("bad IPv6 address")
		}
		if addr.Is4In6() { // netip writes the dotted form, URLs the hexadecimal one
			b := addr.As16()
			return fmt.Sprintf("[::ffff:%x:%x]", int(b[12])<<8|int(b[13]), int(b[14])<<8|int(b[15])), nil
		}
		return "[" + addr.String() + "]", nil
	}
	host, err := url.PathUnescape(host)
	if err != nil || !utf8.ValidString(host) {
		return "", errors.New("bad escape")
	}
	if !plainName(host) {
		profile := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))
		if host, err = profile.ToASCII(host); err != nil {
			return "", err
		}
	}
	host = strings.ToLower(host)
	if trimDot(host) == "" {
		return "", errors.New("it is empty")
	}
	if strings.ContainsAny(host, "\x00 #/:<>?@[\\]^|%\"`{}") || strings.IndexFunc(host, func(r rune) bool { return r < 0x21 || r == 0x7f }) >= 0 {
		return "", errors.New("forbidden character")
	}
	return numericHost(host)
}

// plainName says that a host needs no internationalised treatment.
func plainName(host string) bool {
	for i := range len(host) {
		if host[i] >= 0x80 {
			return false
		}
	}
	return !strings.Contains(strings.ToLower(host), "xn--")
}

// numericHost rewrites the spellings of an IPv4 address that browsers and the C
// library accept (2130706433, 0x7f000001, 0177.0.0.1, 127.1) to the dotted one. A
// host whose last label is a number is an address or nothing.
func numericHost(host string) (string, error) {
	labels := strings.Split(trimDot(host), ".")
	last := labels[len(labels)-1]
	hexadecimal := strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == ""
	if !hexadecimal && strings.Trim(last, "0123456789") != "" {
		return host, nil
	}
	bad := errors.New("bad IPv4 address")
	if len(labels) > 4 {
		return "", bad
	}
	var addr uint64
	for i, label := range labels {
		n, ok := ipv4Number(label)
		limit := uint64(256)
		if i == len(labels)-1 { // the last number fills what is left
			limit = 1 << (8 * (5 - len(labels)))
		}
		if !ok || n >= limit {
			return "", bad
		}
		if i == len(labels)-1 {
			addr += n
		} else {
			addr += n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}).String(), nil
}

func ipv4Number(s string) (uint64, bool) {
	base := 10
	switch {
	case s == "":
		return 0, false
	case strings.HasPrefix(s, "0x"):
		if s = s[2:]; s == "" {
			return 0, true
		}
		base = 16
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil && s[0] != '+'
}

// dotless removes dot segments, also spelled %2e, from an absolute path.
func dotless(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return path
	}
	var out []string
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		lastOne := i == len(segments)-1
		switch strings.ReplaceAll(strings.ToLower(s), "%2e", ".") {
		case ".":
			if lastOne {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if lastOne {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// escape percent-encodes control and non-ASCII bytes, those in set, and stray
// percent signs; escapes that are there stay as they are.
func escape(s, set string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '%' && (i+2 >= len(s) || !hex(s[i+1]) || !hex(s[i+2])):
			b.WriteString("%25")
		case c < 0x20, c >= 0x7f, strings.IndexByte(set, c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// shorten keeps a quoted address readable.
func shorten(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
