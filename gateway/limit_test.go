package gateway

import (
	"strconv"
	"testing"
	"time"
)

func TestLimiterForgetsTheSilentAndIsBounded(t *testing.T) {
	l := newLimiter(6)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 500 {
		l.allow(strconv.Itoa(i), at)
	}
	at = at.Add(2 * time.Minute)
	l.allow("new", at)
	if n := len(l.people); n != 1 {
		t.Errorf("%d people are remembered after two silent minutes, want the new one", n)
	}
	for i := range maxPeople + 500 {
		l.allow("crowd"+strconv.Itoa(i), at)
	}
	if n := len(l.people); n > maxPeople {
		t.Errorf("%d people are remembered, want at most %d", n, maxPeople)
	}
}

func TestLimiterKeepsTheBusy(t *testing.T) {
	l := newLimiter(2)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var got []verdict
	for range 4 {
		got = append(got, l.allow("busy", at))
	}
	l.swept = time.Time{}
	l.allow("another", at) // sweeps
	got = append(got, l.allow("busy", at))
	want := []verdict{allowed, allowed, limitedFirst, limitedAgain, limitedAgain}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("verdicts = %v, want %v", got, want)
		}
	}
}
