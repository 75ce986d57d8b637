package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxHistory is how many lines are kept.
const maxHistory = 1000

// history is what was typed, newest last, kept in a file that nobody else may read.
type history struct {
	path    string
	entries []string
}

// openHistory reads the file, which need not exist. The history is usable also with
// an error; then it is kept for this run alone.
func openHistory(path string) (*history, error) {
	h := &history{}
	if path == "" {
		return h, nil
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.path = path
		return h, nil
	case err != nil:
		return h, fmt.Errorf("read history: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			h.entries = append(h.entries, line)
		}
	}
	if len(h.entries) > maxHistory {
		h.entries = h.entries[len(h.entries)-maxHistory:]
		data := []byte(strings.Join(h.entries, "\n") + "\n")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return h, fmt.Errorf("shorten history: %w", err)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return h, fmt.Errorf("protect history: %w", err)
	}
	h.path = path
	return h, nil
}

// Add keeps a line, unless it is empty or the same as the one before. A file that
// cannot be written any more is given up: typing goes on.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == line {
		return
	}
	h.entries = append(h.entries, line)
	if len(h.entries) > maxHistory {
		h.entries = h.entries[1:]
	}
	if h.path == "" {
		return
	}
	if err := h.save(line); err != nil {
		h.path = ""
	}
}

func (h *history) save(line string) error {
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// Len is the number of lines.
func (h *history) Len() int { return len(h.entries) }

// At gives a line, 0 being the newest.
func (h *history) At(i int) string { return h.entries[len(h.entries)-1-i] }
