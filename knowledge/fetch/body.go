package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"footnote/knowledge"
)

const (
	// maxLayers bounds how often a body may have been compressed.
	maxLayers = 3
	// drainLimit is how much of an unwanted body is read to keep its connection.
	drainLimit = 64 << 10
	// maxWindow bounds the memory that a zstd body may ask for.
	maxWindow = 8 << 20
)

// errTooLarge ends the reading of a body at its limit.
var errTooLarge = errors.New("body exceeds its limit")

// document reads a response as a document.
func (c *Client) document(resp *http.Response, out *Response) error {
	mime, charset := mediaType(resp.Header.Get("Content-Type"))
	if !readable(mime) { // before its body costs anything
		return unsupported(out.URL, mime)
	}
	body, err := c.read(resp, c.maxBody)
	if errors.Is(err, errTooLarge) {
		return knowledge.Refuse(knowledge.RequestTooLarge, "%s is larger than %d MiB", out.URL, c.maxBody>>20)
	}
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusPartialContent {
		return fmt.Errorf("status 206 without a range: %w", io.ErrUnexpectedEOF)
	}
	out.Size = int64(len(body))
	kind, ok := sniff(mime, charset, out.URL.Path, body)
	if !ok {
		return unsupported(out.URL, http.DetectContentType(body))
	}
	out.Kind, out.Body = kind, utf8Text(body, charset, kind)
	return nil
}

// read decodes a body up to limit bytes; errTooLarge comes with what was read so far.
func (c *Client) read(resp *http.Response, limit int64) ([]byte, error) {
	r, done, err := c.decoded(resp, limit)
	defer done()
	if err != nil {
		return nil, err
	}
	size := min(limit, 64<<10)
	if resp.Header.Get("Content-Encoding") == "" && resp.ContentLength >= 0 {
		size = min(limit, resp.ContentLength)
	}
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err = buf.ReadFrom(r); err != nil {
		return buf.Bytes(), err
	}
	// The decoder may be content before the transfer is complete.
	if _, err := io.CopyN(io.Discard, resp.Body, drainLimit); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return c.unwrap(buf.Bytes(), limit)
}

// unwrap undoes a gzip that no header spoke of: a .gz file sent under its plain name.
func (c *Client) unwrap(body []byte, limit int64) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b, 8}) {
		return body, nil
	}
	zr, done, err := c.inflate.gzip(bytes.NewReader(body))
	defer done()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(&capped{zr, limit})
}

// decoded undoes the Content-Encoding, each layer of which is bounded, so that neither
// a bomb nor a bomb in a bomb costs more than limit.
func (c *Client) decoded(resp *http.Response, limit int64) (io.Reader, func(), error) {
	var closers []func()
	done := func() {
		for _, f := range closers {
			f()
		}
	}
	r := io.Reader(&capped{resp.Body, limit})
	var codings []string
	for name := range strings.SplitSeq(strings.Join(resp.Header.Values("Content-Encoding"), ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			codings = append(codings, name)
		}
	}
	if len(codings) > maxLayers {
		return nil, done, knowledge.Refuse(knowledge.ResourceLimit, "%s is compressed %d times over", resp.Request.URL, len(codings))
	}
	for _, coding := range slices.Backward(codings) {
		next, closer, err := c.inflate.open(coding, r)
		closers = append(closers, closer)
		if err != nil {
			return nil, done, err
		}
		r = &capped{next, limit}
	}
	return r, done, nil
}

// capped fails with errTooLarge once more than left bytes have been read.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.r.Read(p)
	if int64(n) > c.left {
		n = int(c.left)
		c.left = 0
		return n, errTooLarge
	}
	c.left -= int64(n)
	return n, err
}

// drain reads a short rest, so that the connection can be used again.
func drain(resp *http.Response) { _, _ = io.CopyN(io.Discard, resp.Body, drainLimit) }

// inflaters reuses gzip readers, whose windows are costly to make.
type inflaters struct{ gzips sync.Pool }

// open starts a decoder; the second result gives its memory back.
func (f *inflaters) open(coding string, r io.Reader) (io.Reader, func(), error) {
	nothing := func() {}
	switch coding {
	case "gzip", "x-gzip":
		return f.gzip(r)
	case "br":
		return brotli.NewReader(r), nothing, nil
	case "zstd":
		zr, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nothing, err
		}
		return zr, zr.Close, nil
	}
	return nil, nothing, knowledge.Refuse(knowledge.UnsupportedFormat, "the server sent the page compressed as %q, which was not asked for", coding)
}

func (f *inflaters) gzip(r io.Reader) (io.Reader, func(), error) {
	zr, ok := f.gzips.Get().(*gzip.Reader)
	if !ok {
		zr = new(gzip.Reader)
	}
	if err := zr.Reset(r); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, func() {}, err
	}
	return zr, func() { f.gzips.Put(zr) }, nil
}
