package config

import (
	"fmt"
	"log/slog"
)

// Secret is a credential that does not show itself: however it is printed, encoded
// or logged, it reads "(set)" or "(not set)". Only Reveal gives the value, where it
// is handed to the service that it belongs to.
type Secret struct{ value string }

// Reveal gives the credential itself.
func (s Secret) Reveal() string { return s.value }

// IsSet says whether there is one.
func (s Secret) IsSet() bool { return s.value != "" }

// String hides the value.
func (s Secret) String() string {
	if s.value == "" {
		return "(not set)"
	}
	return "(set)"
}

// Format hides the value from every verb of fmt, %#v and %q included.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the value from encoding/json, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
