package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processName names a process so that a reused number is another name: its number
// and, where the system tells, the clock tick at which it started.
func processName(pid int) string { return strconv.Itoa(pid) + "@" + startTick(pid) }

// processAlive says whether the process of that name still runs on this host.
func processAlive(name string) bool {
	number, _, _ := strings.Cut(name, "@")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 {
		return false
	}
	if err := syscall.Kill(pid, 0); err != nil && err != syscall.EPERM {
		return false
	}
	return processName(pid) == name
}

// startTick is field 22 of /proc/PID/stat (proc(5)), "0" on systems without it.
func startTick(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "0"
	}
	// The second field is the program's name in parentheses and may hold spaces.
	_, rest, ok := strings.Cut(string(stat), ") ")
	for strings.Contains(rest, ") ") {
		_, rest, _ = strings.Cut(rest, ") ")
	}
	fields := strings.Fields(rest)
	const start = 22 - 3 // fields counted from the state, the third
	if !ok || len(fields) <= start {
		return "0"
	}
	return fields[start]
}

// newInstallID names this data folder among others on the same host.
func newInstallID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return hex.EncodeToString(b[:])
}
