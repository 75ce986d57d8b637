package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"footnote/knowledge"
)

// StatusError is the cause of a refusal that a server's status gave.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // what the server asked for; 0 when it did not
}

// Error names the status.
func (e *StatusError) Error() string { return "HTTP status " + strconv.Itoa(e.Status) }

// refuseStatus turns a status that is no document into a refusal.
func refuseStatus(u *url.URL, resp *http.Response) *knowledge.Error {
	cause := &StatusError{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	refuse := func(code knowledge.Code, reason string) *knowledge.Error {
		return &knowledge.Error{Code: code, Reason: fmt.Sprintf(reason, u, resp.StatusCode), Cause: cause}
	}
	switch status := resp.StatusCode; {
	case challenged(resp):
		return refuse(knowledge.PageNotIngested, "%s is behind a bot wall (status %d); ask its owner to let "+Token+" in")
	case status == http.StatusNotFound || status == http.StatusGone:
		return refuse(knowledge.NotFound, "%s does not exist (status %d)")
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		return refuse(knowledge.PageNotIngested, "%s does not let us in (status %d); only public pages can be read")
	case status == http.StatusTooManyRequests:
		return refuse(knowledge.ConnectError, "%s asks for fewer requests (status %d); try again later")
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly:
		return refuse(knowledge.ConnectError, "%s cannot answer at the moment (status %d); try again later")
	default:
		return refuse(knowledge.PageNotIngested, "%s answers with status %d instead of a page")
	}
}

// challenged recognises the marks that bot walls set on their own answers.
func challenged(resp *http.Response) bool {
	return strings.EqualFold(resp.Header.Get("Cf-Mitigated"), "challenge") ||
		strings.EqualFold(resp.Header.Get("X-Amzn-Waf-Action"), "challenge") ||
		strings.EqualFold(resp.Header.Get("X-Amzn-Waf-Action"), "captcha")
}

// retryAfter reads the header in seconds or as a date.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if n, err := strconv.Atoi(header); err == nil {
		return time.Duration(max(0, min(n, 86400))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// explain turns what the network or a body reader reported into a refusal; late is
// what is said of a time limit. A context that the caller ended is no refusal and
// comes back as its own error.
func explain(ctx context.Context, u *url.URL, err error, late string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("fetch %s: %w", u, ctx.Err())
	}
	if refusal, ok := errors.AsType[*knowledge.Error](err); ok {
		return refusal
	}
	reason := ""
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		reason = late
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "breaks off in the middle of the page"
	default:
		return unreachable(u.Host, err)
	}
	return &knowledge.Error{Code: knowledge.ConnectError, Reason: u.String() + " " + reason + "; try again later", Cause: err}
}

// unreachable is a host that could not be talked to.
func unreachable(host string, err error) *knowledge.Error {
	reason := "cannot be reached; check the address, or try again later"
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		reason = "cannot be found at the moment (the name server does not answer); try again later"
		if dns.IsNotFound {
			reason = "is not a known host; check the address"
		}
	}
	if errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) {
		reason = "closes the connection without an answer; try again later"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		if _, dns := errors.AsType[*net.DNSError](err); !dns {
			reason = "refuses the connection or cannot be reached; check the address, or try again later"
		}
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	if certificate || authority || record {
		reason = "has no valid certificate for a secure connection"
	}
	return &knowledge.Error{Code: knowledge.ConnectError, Reason: host + " " + reason, Cause: err}
}
