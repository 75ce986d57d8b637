package crawl

import (
	"strings"
	"testing"
)

func TestFrontierIsBounded(t *testing.T) {
	for name, length := range map[string]int{"by number": 60, "by bytes": 2000} {
		t.Run(name, func(t *testing.T) {
			f := newFrontier()
			taken := 0
			tail := strings.Repeat("x", length)
			for n := range maxKnown + 10 {
				if f.add(item{url: string(rune('a'+n%26)) + strings.Repeat("y", n/26%40) + string(rune(0x4e00+n/26)) + tail}) {
					taken++
				}
			}
			if taken == 0 || taken > maxKnown || f.bytes > maxKnownBytes {
				t.Errorf("took %d addresses of %d bytes together", taken, f.bytes)
			}
			if length == 2000 && taken > maxKnownBytes/2000 || length == 60 && taken != maxKnown {
				t.Errorf("took %d addresses", taken)
			}
		})
	}
}
