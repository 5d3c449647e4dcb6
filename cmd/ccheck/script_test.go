package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ccheck/ccheck/probes/server/postgres"
)

// The scripts run the real ccheck: the test binary runs main when it is called
// by the name ccheck.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ccheck": main})
}

// TestScripts runs testdata/script/*.txtar. Beside testscript's own commands a
// script has:
//
//	code N ccheck ARGS…       as exec, and check the exit code
//	pgserver                  a fresh database of a throw-away server; sets DSN (with password),
//	                          DB, HOST, PORT, DBUSER, PASSWORD; nothing that ccheck would
//	                          find by itself
//	sql STATEMENTS            run them there; rows go to stdout, columns joined by "|"
//	write FILE TEXT           make a file of one line
//	closedport                sets CLOSED to a port on which nobody listens
//	await FILE PATTERN        wait until the file matches: a command in the background has come so far
//	signal TERM|INT|KILL      send it to the commands in the background
//	exited N|M                after wait: the exit code of those that were sent a signal
//	gone                      wait until the server has noticed that all sessions of ccheck's ended
//	canary                    fail when PASSWORD is in stdout, stderr or any file below $WORK
//	untouched                 fail when the database of pgserver has a schema of ccheck's
//	ownserver NAME=VALUE…     a server of this script's alone, with settings; variables as pgserver sets
//	                          them, and LOG, its log
//	killserver                kill it, and unset DSN
//	httpserver                sets HTTPPORT to that of a server that is not PostgreSQL
//	nothingleft [but-histories]  fail when ccheck left anything on the server or on the machine
//	reaped                    wait until nothing of ccheck's is left on the machine, after a SIGKILL
//	spy                       fail when PASSWORD can be seen in the commands in the background or their
//	                          children; prints "N children"
//	[!] holds FILE TEXT       the file holds the text; shows neither
//	[!] sameops A B           two histories have the same operations, lane by lane
//	readonly LOG COPY         a log of log_statement=all holds no statement that writes, after what is in
//	                          the copy
//	versions FILE.json        prints version, level and verdict of each row of a table of runs
//	fulldisk DIR KIB          make DIR a small disk; only where [fulldisk]
//
// KNOWN is the flag that says that the server may be hammered: scripts run side
// by side on one server, and ccheck takes the load of the other for a reason to
// refuse it.
//
// A script with a server takes about two seconds more, once for all scripts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds:                commands(t),
	})
}

// setup gives scripts what they need of the machine: the go command's caches, a
// home of their own (testscript's does not exist, and root would make it), and
// folders that an unprivileged server may enter.
func setup(env *testscript.Env) error {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(value)))
	}
	env.Values[signalled{}] = new([]*exec.Cmd)
	env.Values[owned{}] = new(*postgres.Server)
	env.Setenv("GOTOOLCHAIN", "local")
	env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
	env.Setenv("CCHECK", lookPath(env.Getenv("PATH"), "ccheck"))
	env.Setenv("LANG", "C.UTF-8")
	if bin := os.Getenv("CCHECK_PG_BIN"); bin != "" {
		env.Setenv("CCHECK_PG_BIN", bin)
	}
	return openFolders(env)
}

func openFolders(env *testscript.Env) error {
	for dir := env.WorkDir; dir != filepath.Clean(os.TempDir()) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	return os.Chmod(env.Getenv("TMPDIR"), 0o777|fs.ModeSticky)
}

// lookPath is exec.LookPath in another PATH than ours.
func lookPath(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return name
}
