package console

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"footnote/gateway"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// message makes the message of a line. Its id and address carry the session, since
// both outlive the process: a later run has a line 1 of its own.
func message(session string, line int, text string, at time.Time) gateway.Message {
	id := session + "." + strconv.Itoa(line)
	return gateway.Message{
		Platform:  gateway.Console,
		Chat:      "terminal",
		ID:        gateway.MessageID(id),
		ReplyTo:   gateway.Address("console:" + id),
		User:      gateway.User{ID: "local"},
		Text:      text,
		Addressed: true,
		At:        at,
	}
}

// lineOf gives the number of this run's line that an address stands for, "" for an
// earlier run's.
func (a *Adapter) lineOf(to gateway.Address) string {
	id, _ := strings.CutPrefix(string(to), "console:")
	line, ours := strings.CutPrefix(id, a.session+".")
	if !ours {
		return ""
	}
	return line
}

// errLineTooLong means that a line of more than maxLine bytes was skipped.
var errLineTooLong = errors.New("line too long")

// readLine gives the next line without its end. A line that is too long is read to its
// end and dropped; the last line needs no end.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > maxLine+len("\r\n") {
			long, line = true, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(line) > 0 || long):
		case err != nil:
			return "", err
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if long || len(text) > maxLine {
			return "", errLineTooLong
		}
		return strings.ToValidUTF8(text, "\uFFFD"), nil
	}
}

// skipped tells the lines of a script that are no messages.
func skipped(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}
