// Package process finds out about a process on this machine what a heap probe
// has to know before it asks it for a snapshot: what runs in it, where it
// listens, how much memory it has and may have.
//
// It reads /proc and the control groups of Linux. Elsewhere it knows nothing, and
// says so.
package process

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Kind is what runs in a process.
type Kind string

// The kinds that have a heap which can be read.
const (
	Node Kind = "node"
	Go   Kind = "go"
)

// ErrGone says that there is no such process.
var ErrGone = errors.New("there is no such process")

// ErrForeign says that the process is neither Node nor Go.
var ErrForeign = errors.New("it runs neither Node nor a Go program")

// KindOf finds out what runs in a process.
func KindOf(pid int) (Kind, error) {
	exe, err := os.Readlink(proc(pid, "exe"))
	if errors.Is(err, os.ErrNotExist) {
		return "", ErrGone
	}
	if err != nil {
		return "", fmt.Errorf("looking at process %d: %w", pid, err)
	}
	switch name := strings.TrimSuffix(filepath.Base(exe), " (deleted)"); {
	case name == "node" || name == "nodejs":
		return Node, nil
	}
	if _, err := buildinfo.ReadFile(proc(pid, "exe")); err == nil {
		return Go, nil
	}
	return "", ErrForeign
}

// Settings are the environment and the arguments that a process was started with.
func Settings(pid int) (env map[string]string, args []string, err error) {
	vars, err := list(pid, "environ")
	if err != nil {
		return nil, nil, err
	}
	if args, err = list(pid, "cmdline"); err != nil {
		return nil, nil, err
	}
	env = map[string]string{}
	for _, v := range vars {
		if name, value, ok := strings.Cut(v, "="); ok {
			env[name] = value
		}
	}
	return env, args, nil
}

// list reads a file of /proc whose entries end with a zero byte.
func list(pid int, name string) ([]string, error) {
	data, err := os.ReadFile(proc(pid, name))
	if err != nil {
		return nil, fmt.Errorf("looking at process %d: %w", pid, err)
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == 0 }), nil
}

func proc(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// Ports are the TCP ports at which a process listens.
func Ports(pid int) ([]int, error) {
	inodes, err := sockets(pid)
	if err != nil {
		return nil, err
	}
	var ports []int
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		data, err := os.ReadFile(proc(pid, table))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" || !inodes[f[9]] { // 0A is LISTEN
				continue
			}
			if i := strings.LastIndexByte(f[1], ':'); i > 0 {
				if port, err := strconv.ParseUint(f[1][i+1:], 16, 16); err == nil {
					ports = append(ports, int(port))
				}
			}
		}
	}
	return ports, nil
}

// sockets are the inodes of the sockets that a process has open.
func sockets(pid int) (map[string]bool, error) {
	entries, err := os.ReadDir(proc(pid, "fd"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("looking at the open files of process %d: %w", pid, err)
	}
	all := map[string]bool{}
	for _, e := range entries {
		to, err := os.Readlink(proc(pid, "fd/"+e.Name()))
		if inode, ok := strings.CutPrefix(to, "socket:["); err == nil && ok {
			all[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return all, nil
}

// Memory is what a process has and may have, in bytes; 0 where it is not known.
type Memory struct {
	RSS       int64
	Limit     int64  // of its container, or of Go's runtime
	LimitName string // "memory.max of its container" …
	Used      int64  // of Limit by all processes in the container
	Free      int64  // on the machine
}

// MemoryOf finds out about the memory of a process.
func MemoryOf(pid int) Memory {
	m := Memory{RSS: field(proc(pid, "status"), "VmRSS:") << 10, Free: field("/proc/meminfo", "MemAvailable:") << 10}
	for dir := cgroup(pid); dir != ""; dir = parent(dir) {
		limit, ok := number(filepath.Join(dir, "memory.max"))
		if ok && (m.Limit == 0 || limit < m.Limit) {
			m.Limit, m.LimitName = limit, "memory.max of its container"
			m.Used, _ = number(filepath.Join(dir, "memory.current"))
		}
	}
	if limit, ok := goLimit(pid); ok && (m.Limit == 0 || limit < m.Limit) {
		m.Limit, m.LimitName, m.Used = limit, "GOMEMLIMIT", m.RSS
	}
	return m
}

const cgroups = "/sys/fs/cgroup"

// cgroup is the folder of the control group of a process (version 2).
func cgroup(pid int) string {
	data, err := os.ReadFile(proc(pid, "cgroup"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return filepath.Join(cgroups, path)
		}
	}
	return ""
}

func parent(dir string) string {
	if dir == cgroups || !strings.HasPrefix(dir, cgroups) {
		return ""
	}
	return filepath.Dir(dir)
}

func number(path string) (int64, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}

// field is the number behind a name in a file of lines.
func field(path, name string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(data) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == name {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64)
			return n
		}
	}
	return 0
}

// goLimit is GOMEMLIMIT in the environment of a process. The rest of the
// environment is not looked at.
func goLimit(pid int) (int64, bool) {
	data, err := os.ReadFile(proc(pid, "environ"))
	if err != nil {
		return 0, false
	}
	for entry := range bytes.SplitSeq(data, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte("GOMEMLIMIT=")); ok {
			return parseLimit(string(value))
		}
	}
	return 0, false
}

// parseLimit reads what the runtime accepts: a number with B, KiB, MiB, GiB, TiB.
func parseLimit(text string) (int64, bool) {
	factor := int64(1)
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			text, factor = rest, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "B"), 10, 64)
	if err != nil || n <= 0 || n > 1<<62/factor {
		return 0, false
	}
	return n * factor, true
}
