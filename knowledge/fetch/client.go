// Package fetch is the one HTTP client that reads other people's servers. It connects
// to public addresses only (checked on the real address of every connection, so that
// neither a redirect nor a second DNS answer gets past), follows redirects one at a
// time under its caller's eyes, bounds time and decoded size, and hands out documents
// as UTF-8. It sends no cookies, uses no proxy and never retries: pacing and second
// attempts belong to the crawl, which knows what else it asks of a host.
//
// What a reader should be told comes back as a *knowledge.Error; a status that means
// "later" carries a *StatusError as its cause.
//
// Kind: doer. Imports knowledge.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"footnote/knowledge"
)

// Token is the product token by which robots.txt files address us.
const Token = "FootnoteBot"

// The defaults of Options.
const (
	DefaultHeaderTimeout = 15 * time.Second
	DefaultTimeout       = 60 * time.Second
	DefaultMaxBody       = 10 << 20
)

// MaxRedirects is how many redirects are followed from one address.
const MaxRedirects = 10

// ErrRedirects is the cause when redirects run in a circle or are too many.
var ErrRedirects = errors.New("redirects lead nowhere")

const (
	dialTimeout    = 10 * time.Second
	maxHeaderBytes = 256 << 10
	accept         = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.5, */*;q=0.1"
	acceptEncoding = "gzip, br, zstd"
)

// Options configure a Client. The zero value is safe and complete.
type Options struct {
	Version string // of Footnote, for the User-Agent; "" is "dev"
	Contact string // address or page where a site's owner reaches the operator, for the User-Agent

	AllowPrivate []netip.Prefix // ranges that may be connected to although they are not public

	HeaderTimeout time.Duration // from request to response headers
	Timeout       time.Duration // of one request, its body included; each redirect has its own
	MaxBody       int64         // decoded bytes of a document

	Resolver *net.Resolver // nil is the system's
	// Dial replaces the guarded dialer, for tests in memory. Who sets it answers for
	// where it connects to.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client fetches. It is safe for concurrent use and keeps connections alive.
type Client struct {
	guard     *guard
	resolver  *net.Resolver
	transport *http.Transport
	userAgent string
	timeout   time.Duration
	maxBody   int64
	inflate   inflaters
}

// New makes a client.
func New(o Options) *Client {
	c := &Client{
		guard:     newGuard(o.AllowPrivate),
		resolver:  resolverOr(o.Resolver),
		userAgent: Token + "/" + cmp.Or(o.Version, "dev"),
		timeout:   cmp.Or(o.Timeout, DefaultTimeout),
		maxBody:   cmp.Or(o.MaxBody, DefaultMaxBody),
	}
	if o.Contact != "" {
		c.userAgent += " (+" + o.Contact + ")"
	}
	dial := o.Dial
	if dial == nil {
		dialer := &net.Dialer{Timeout: dialTimeout, Resolver: o.Resolver, ControlContext: c.guard.control}
		dial = dialer.DialContext
	}
	c.transport = &http.Transport{
		Proxy:                  nil, // a proxy would connect for us, past the guard
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  cmp.Or(o.HeaderTimeout, DefaultHeaderTimeout),
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		DisableCompression:     true, // we decode ourselves, to bound the decoded size
		ReadBufferSize:         32 << 10,
	}
	return c
}

// UserAgent is what servers see.
func (c *Client) UserAgent() string { return c.userAgent }

// CloseIdleConnections closes the connections that wait for another request.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

// RoundTrip makes Client an http.RoundTripper behind the same guard: one request, no
// redirects followed, body as sent.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return nil, knowledge.Refuse(knowledge.InvalidURL, "%q is a %s: address; only http and https pages can be read", shorten(req.URL.String()), req.URL.Scheme)
	}
	if req.URL.User != nil {
		return nil, knowledge.Refuse(knowledge.InvalidURL, "the address carries a user name or password")
	}
	if req.Header.Get("User-Agent") == "" {
		req = req.Clone(req.Context()) // a RoundTripper leaves its request as it is
		req.Header.Set("User-Agent", c.userAgent)
	}
	return c.transport.RoundTrip(req)
}

// Request asks for one address.
type Request struct {
	URL *url.URL // from Parse

	// ETag and LastModified, of the copy that is stored, make the request conditional.
	ETag, LastModified string

	// Follow is called with each redirect's target before it is requested; an error
	// ends the fetch with it. Without it a redirect is handed back, in Response.Redirect.
	Follow func(ctx context.Context, to *url.URL) error
}

// Response is what a server gave. Exactly one of Body, NotModified and Redirect speaks.
type Response struct {
	URL         *url.URL // that answered, after redirects
	Status      int
	NotModified bool
	Redirect    *url.URL // where it points, when the request did not follow

	Kind Kind   // of Body
	Body []byte // UTF-8 from Get, as decoded from the transfer from Raw
	Size int64  // decoded bytes, before the change of charset
	Cut  bool   // Raw only: there was more

	ETag, LastModified string
	Header             http.Header
}

// Get fetches a document: HTML, Markdown or plain text, in UTF-8.
func (c *Client) Get(ctx context.Context, r Request) (Response, error) {
	return c.follow(ctx, r, func(resp *http.Response, out *Response) error {
		return c.document(resp, out)
	})
}

// Raw fetches bytes of any type, at most limit of them: what is longer is cut. It is
// for robots.txt and sitemaps.
func (c *Client) Raw(ctx context.Context, r Request, limit int64) (Response, error) {
	return c.follow(ctx, r, func(resp *http.Response, out *Response) error {
		body, err := c.read(resp, limit)
		if errors.Is(err, errTooLarge) {
			out.Cut, err = true, nil
		}
		out.Body, out.Size = body, int64(len(body))
		return err
	})
}

// follow requests r and, where it is allowed to, what r redirects to.
func (c *Client) follow(ctx context.Context, r Request, read func(*http.Response, *Response) error) (Response, error) {
	been := map[string]bool{}
	for {
		been[r.URL.String()] = true
		out, err := c.once(ctx, r, read)
		if err != nil || out.Redirect == nil || r.Follow == nil {
			return out, err
		}
		if been[out.Redirect.String()] {
			return out, &knowledge.Error{Code: knowledge.ConnectError, Reason: r.URL.String() + " redirects in a circle", Cause: ErrRedirects}
		}
		if len(been) > MaxRedirects {
			return out, &knowledge.Error{Code: knowledge.ConnectError, Reason: r.URL.String() + " is one redirect too many", Cause: ErrRedirects}
		}
		if err := r.Follow(ctx, out.Redirect); err != nil {
			return out, err
		}
		r.URL, r.ETag, r.LastModified = out.Redirect, "", ""
	}
}

// once makes one request and reads its answer.
func (c *Client) once(ctx context.Context, r Request, read func(*http.Response, *Response) error) (Response, error) {
	out := Response{URL: r.URL}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, err := c.send(limited, r)
	if err != nil {
		return out, explain(ctx, r.URL, err, "does not answer in time")
	}
	defer func() { _ = resp.Body.Close() }()
	out.Status, out.Header = resp.StatusCode, resp.Header
	out.ETag, out.LastModified = resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
	switch {
	case resp.StatusCode == http.StatusNotModified && (r.ETag != "" || r.LastModified != ""):
		out.NotModified = true
	case isRedirect(resp):
		drain(resp)
		if out.Redirect, err = Parse(r.URL, resp.Header.Get("Location")); err != nil {
			return out, err
		}
		if out.Redirect.Fragment == "" { // RFC 9110: the fragment is inherited
			out.Redirect.Fragment, out.Redirect.RawFragment = r.URL.Fragment, r.URL.RawFragment
		}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		drain(resp)
		return out, refuseStatus(r.URL, resp)
	default:
		if err := read(resp, &out); err != nil {
			return out, explain(ctx, r.URL, err, "takes too long to send the page")
		}
	}
	return out, nil
}

func (c *Client) send(ctx context.Context, r Request) (*http.Response, error) {
	plain := *r.URL
	plain.Fragment, plain.RawFragment = "", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, plain.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", acceptEncoding)
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	return c.RoundTrip(req)
}

func isRedirect(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}
