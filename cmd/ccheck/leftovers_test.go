package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// nothingLeft looks for everything that a run may leave: schemas, sessions and
// locks on the server of the script, servers of ccheck's own with their
// folders, temporary files and, unless the script says that there are to be
// some, histories.
func nothingLeft(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 || len(args) == 1 && args[0] != "but-histories" {
		ts.Fatalf("usage: nothingleft [but-histories]")
	}
	if ts.Getenv("DSN") != "" {
		gone(ts, false, nil) // the server notices the end of a session a moment later
		left := query(ts, `SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname LIKE 'ccheck\_%'
			UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
		if len(left) > 0 {
			ts.Fatalf("left on the server: %s", strings.Join(left, ", "))
		}
	}
	left := machine(ts)
	if len(args) == 0 {
		left = append(left, files(ts, filepath.Join(ts.Getenv("HOME"), ".local", "state", "ccheck", "histories"))...)
	}
	if len(left) > 0 {
		ts.Fatalf("left on the machine: %s", strings.Join(left, ", "))
	}
}

// reaped waits until the guard has cleaned up after a ccheck that was killed.
func reaped(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "reaped")
	for len(machine(ts)) > 0 {
		time.Sleep(20 * time.Millisecond)
	}
}

// machine lists the temporary files of the script's commands, and the processes
// that work on them.
func machine(ts *testscript.TestScript) []string {
	tmp := ts.Getenv("TMPDIR")
	left := files(ts, tmp)
	each(ts, func(p process) {
		if strings.Contains(p.cmdline, tmp) {
			left = append(left, fmt.Sprintf("process %d (%s)", p.pid, strings.ReplaceAll(p.cmdline, "\x00", " ")))
		}
	})
	return left
}

func files(ts *testscript.TestScript, dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		ts.Check(err)
	}
	for _, e := range entries {
		list = append(list, filepath.Join(dir, e.Name()))
	}
	return list
}

// process is one process of this machine, as /proc shows it.
type process struct {
	pid, parent      int
	cmdline, environ string
}

// each visits the processes of the machine. Where there is no /proc nothing is
// visited, and the scripts prove a little less there.
func each(ts *testscript.TestScript, visit func(process)) {
	entries, err := filepath.Glob("/proc/[0-9]*")
	ts.Check(err)
	for _, dir := range entries {
		p := process{}
		p.pid, _ = strconv.Atoi(filepath.Base(dir))
		p.cmdline, p.environ = read(dir, "cmdline"), read(dir, "environ")
		// The name of the program, in parentheses, may hold spaces.
		stat := read(dir, "stat")
		fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 {
			p.parent, _ = strconv.Atoi(fields[1])
		}
		visit(p)
	}
}

// read returns a file of a process, "" when the process has just ended.
func read(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// spy looks for PASSWORD in the command lines of the commands in the
// background, and in the command lines and environments of their children.
func spy(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "spy")
	var all []process
	each(ts, func(p process) { all = append(all, p) })
	ours, family := map[int]bool{}, map[int]bool{}
	for _, cmd := range ts.BackgroundCmds() {
		ours[cmd.Process.Pid], family[cmd.Process.Pid] = true, true
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if family[p.parent] && !family[p.pid] {
				family[p.pid], grown = true, true
			}
		}
	}
	password := ts.Getenv("PASSWORD")
	for _, p := range all {
		if family[p.pid] && (strings.Contains(p.cmdline, password) || !ours[p.pid] && strings.Contains(p.environ, password)) {
			ts.Fatalf("the password is to be seen in process %d", p.pid)
		}
	}
	fmt.Fprintf(ts.Stdout(), "%d children\n", len(family)-len(ours))
}

// holds fails unless the file holds the text, or with ! when it does. Unlike
// grep it shows neither.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || args[1] == "" {
		ts.Fatalf("usage: [!] holds FILE TEXT")
	}
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	if bytes.Contains(text, []byte(args[1])) == neg {
		ts.Fatalf("%s: the text is there: %v", args[0], neg)
	}
}
