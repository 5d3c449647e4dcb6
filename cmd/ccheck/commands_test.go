package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

type command = func(ts *testscript.TestScript, neg bool, args []string)

// commands are the script commands that TestScripts documents.
func commands(t *testing.T) map[string]command {
	all := map[string]command{
		"code":       code,
		"pgserver":   func(ts *testscript.TestScript, neg bool, args []string) { pgserver(t, ts, neg, args) },
		"sql":        sql,
		"write":      write,
		"closedport": closedPort,
		"await":      await,
		"signal":     send,
		"exited":     exited,
		"gone":       gone,
		"canary":     canary,
		"untouched":  untouched,
	}
	maps.Copy(all, stressCommands(t))
	return all
}

// plain refuses ! and a wrong number of arguments.
func plain(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) != n {
		ts.Fatalf("usage: %s", usage)
	}
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exited *exec.ExitError
		if !errors.As(err, &exited) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exited.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func pgserver(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "pgserver")
	dsn := pgtest.DSN(t)
	u, err := url.Parse(dsn)
	if err != nil {
		ts.Fatalf("the server's DSN is not a URL")
	}
	setServer(ts, u)
}

// setServer gives the script the variables that name a server.
func setServer(ts *testscript.TestScript, u *url.URL) {
	password, _ := u.User.Password()
	db := strings.TrimPrefix(u.Path, "/")
	for name, value := range map[string]string{
		"DSN": u.String(), "DB": db, "PASSWORD": password, "KNOWN": "--i-know-this-is=" + db,
		"HOST": u.Hostname(), "PORT": u.Port(), "DBUSER": u.User.Username(),
	} {
		ts.Setenv(name, value)
	}
}

// sql runs statements on the database of pgserver, or of DSN2 and so on when a
// script renames its variables.
func sql(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "sql 'statements'")
	for _, row := range query(ts, args[0]) {
		fmt.Fprintln(ts.Stdout(), row)
	}
}

func query(ts *testscript.TestScript, statements string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgconn.Connect(ctx, ts.Getenv("DSN"))
	if err != nil {
		ts.Fatalf("connecting to the database of this script: %v", err)
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, statements).ReadAll()
	ts.Check(err)
	var rows []string
	for _, r := range results {
		for _, row := range r.Rows {
			rows = append(rows, string(bytes.Join(row, []byte("|"))))
		}
	}
	return rows
}

func write(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "write FILE TEXT")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

// closedPort finds a port that was free a moment ago. Another process may take
// it, which has to be borne.
func closedPort(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "closedport")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("CLOSED", strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	ts.Check(l.Close())
}

// await is bounded by the deadline of the test binary alone: how fast a command
// gets somewhere depends on the machine.
func await(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "await FILE PATTERN")
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	for {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			ts.Fatalf("reading %s: %v", args[0], err)
		}
		for _, cmd := range ts.BackgroundCmds() {
			if errors.Is(cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
				ts.Fatalf("%s ended before %s matched %q", filepath.Base(cmd.Path), args[0], args[1])
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

var signals = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}

// signalled is the key of the commands that were sent a signal.
type signalled struct{}

func send(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "signal TERM|INT|KILL")
	sig, ok := signals[args[0]]
	if !ok {
		ts.Fatalf("no signal %s", args[0])
	}
	sent := ts.Value(signalled{}).(*[]*exec.Cmd)
	*sent = ts.BackgroundCmds()
	for _, cmd := range *sent {
		ts.Check(cmd.Process.Signal(sig))
	}
}

// exited must come after wait, which has seen the end of the commands.
func exited(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "exited N[|M]")
	want := strings.Split(args[0], "|")
	sent := *ts.Value(signalled{}).(*[]*exec.Cmd)
	if len(sent) == 0 || len(ts.BackgroundCmds()) > 0 {
		ts.Fatalf("exited comes after signal and wait")
	}
	for _, cmd := range sent {
		if got := strconv.Itoa(cmd.ProcessState.ExitCode()); !slices.Contains(want, got) {
			ts.Fatalf("exit code %s, want %s", got, args[0])
		}
	}
}

// gone is for after a SIGKILL: the server learns of it when it next looks at the
// socket.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "gone")
	const sessions = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'ccheck/%'`
	for len(query(ts, sessions)) > 0 {
		time.Sleep(20 * time.Millisecond)
	}
}

// canary looks for the server's password wherever a command may have left it.
func canary(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "canary")
	password := ts.Getenv("PASSWORD")
	if len(password) < 8 {
		ts.Fatalf("canary: PASSWORD is %d bytes long, too short to look for", len(password))
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(stream), password) {
			ts.Fatalf("the password is in %s", stream)
		}
	}
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(password)) {
			return fmt.Errorf("the password is in %s", path)
		}
		return err
	}))
}

func untouched(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "untouched")
	left := query(ts, `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ccheck\_%'`)
	if len(left) > 0 {
		ts.Fatalf("left in the database: %s", strings.Join(left, ", "))
	}
}
