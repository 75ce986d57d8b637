package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"unicode/utf8"
)

// Trust makes a client accept a test server's certificate.
func Trust(c *Client, cert *x509.Certificate) {
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	c.transport.TLSClientConfig = &tls.Config{RootCAs: pool}
}

// ReadDocument reads body as a document labelled so, and fails the test when what
// comes out is not UTF-8.
func ReadDocument(t *testing.T, body []byte, label string) {
	mime, charset := mediaType(label)
	kind, ok := sniff(mime, charset, "/", body)
	if !ok {
		return
	}
	if out := utf8Text(body, charset, kind); !utf8.Valid(out) {
		t.Fatalf("%q as %q gives invalid UTF-8 %q", body, label, out)
	}
}
