package knowledge

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	tests := []struct {
		since time.Duration
		want  string
	}{
		{-time.Hour, "just now"},
		{0, "just now"},
		{59 * time.Second, "just now"},
		{time.Minute, "1 minute"},
		{59 * time.Minute, "59 minutes"},
		{90 * time.Minute, "1 hour"},
		{47 * time.Hour, "1 day"},
		{72 * time.Hour, "3 days"},
		{30 * 24 * time.Hour, "1 month"},
		{364 * 24 * time.Hour, "12 months"},
		{800 * 24 * time.Hour, "2 years"},
	}
	for _, tt := range tests {
		if got := Age(tt.since); got != tt.want {
			t.Errorf("Age(%v) = %q, want %q", tt.since, got, tt.want)
		}
	}
}
