package knowledge

import "testing"

func TestOwnerName(t *testing.T) {
	for owner, want := range map[string]string{
		Owner{Install: "c6984b", Host: "vm", Process: "17343@784684"}.String(): "process 17343 on vm",
		"":    "unknown process",
		"a/b": "unknown process",
	} {
		if got := OwnerName(owner); got != want {
			t.Errorf("OwnerName(%q) = %q, want %q", owner, got, want)
		}
	}
}
