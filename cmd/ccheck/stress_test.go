package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

// stressCommands are the script commands of stress_*.txtar; TestScripts
// documents them.
func stressCommands(t *testing.T) map[string]command {
	return map[string]command{
		"ownserver":   func(ts *testscript.TestScript, neg bool, args []string) { ownServer(t, ts, args) },
		"killserver":  killServer,
		"httpserver":  httpServer,
		"nothingleft": nothingLeft,
		"reaped":      reaped,
		"spy":         spy,
		"holds":       holds,
		"sameops":     sameOps,
		"fulldisk":    fullDisk,
		"readonly":    readOnly,
		"versions":    versions,
	}
}

// owned is the key of the script's own server among the values of its Env.
type owned struct{}

// ownServer starts a server for one script, which it may kill and whose log it
// may read, with more lines of postgresql.conf.
func ownServer(t *testing.T, ts *testscript.TestScript, args []string) {
	settings := map[string]string{}
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		settings[name] = value
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := postgres.Start(ctx, postgres.Options{Dir: postgres.MemoryDir(), Settings: settings})
	if err != nil {
		ts.Fatalf("starting a server: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Errorf("stopping the server of a script: %v", err)
		}
	})
	*ts.Value(owned{}).(**postgres.Server) = s
	ts.Setenv("LOG", filepath.Join(s.Dir(), "log"))
	u, err := url.Parse(s.DSN())
	if err != nil {
		ts.Fatalf("the server's DSN is not a URL")
	}
	setServer(ts, u)
}

func killServer(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "killserver")
	s := *ts.Value(owned{}).(**postgres.Server)
	if s == nil {
		ts.Fatalf("killserver: the script has no ownserver")
	}
	sent := ts.Value(signalled{}).(*[]*exec.Cmd)
	*sent = ts.BackgroundCmds() // so that exited knows whom the kill was meant for
	ts.Check(s.Kill(context.Background()))
	ts.Setenv("DSN", "") // nothing can be asked there any more
}

// httpServer listens as somebody who is not PostgreSQL.
func httpServer(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "httpserver")
	s := httptest.NewServer(http.NotFoundHandler())
	ts.Defer(s.Close)
	ts.Setenv("HTTPPORT", strconv.Itoa(s.Listener.Addr().(*net.TCPAddr).Port))
}

// sameOps compares what the lanes of two histories sent: statements and bound
// values, lane by lane.
func sameOps(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] sameops A B")
	}
	a, b := operations(ts, args[0]), operations(ts, args[1])
	if len(a) == 0 || len(a[0]) == 0 {
		ts.Fatalf("%s holds no operation", args[0])
	}
	same := len(a) == len(b)
	for lane := range a {
		same = same && slices.Equal(a[lane], b[lane])
	}
	if same == neg {
		ts.Fatalf("the same operations: %v", same)
	}
}

func operations(ts *testscript.TestScript, path string) map[int][]string {
	f, err := history.Open(ts.MkAbs(path))
	ts.Check(err)
	lanes := map[int][]string{}
	for o, err := range f.Ops() {
		ts.Check(err)
		if o.Scope == history.ScopeQuery && o.Kind == history.Invoke {
			lanes[o.Process] = append(lanes[o.Process], fmt.Sprint(o.Stmt.SQL, o.Args))
		}
	}
	return lanes
}

// reading are the statements that write nothing, by their first word, and those
// that frame them.
var reading = []string{"select", "with", "show", "begin", "commit", "rollback", "start"}

// readOnly looks at the statements in a log of log_statement=all that came
// after a copy of it was made.
func readOnly(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "readonly LOG COPY")
	statements := regexp.MustCompile(`(?m)LOG: +(?:statement|execute [^:]*): *(\S+)`).FindAllStringSubmatch(strings.TrimPrefix(ts.ReadFile(args[0]), ts.ReadFile(args[1])), -1)
	if len(statements) == 0 {
		ts.Fatalf("the log holds no statement: is log_statement=all?")
	}
	for _, m := range statements {
		if !slices.Contains(reading, strings.ToLower(strings.TrimSuffix(m[1], ";"))) {
			ts.Fatalf("a statement that may write: %s", m[0])
		}
	}
}

// versions prints what a table of many runs says about each: version, level and
// verdict.
func versions(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "versions FILE.json")
	var doc struct {
		Summary struct {
			Tables []struct {
				Columns []string
				Rows    [][]string
			}
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	for _, table := range doc.Summary.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				ts.Fatalf("%d values under %d columns: %q", len(row), len(table.Columns), row)
			}
			fmt.Fprintln(ts.Stdout(), strings.Join(row[:3], " | "))
		}
	}
}

// fullDisk makes DIR a disk of so many KiB.
func fullDisk(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "fulldisk DIR KIB")
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(mount(dir, args[1]))
	ts.Defer(func() { ts.Check(exec.Command("umount", dir).Run()) })
}

func mount(dir, kib string) error {
	return exec.Command("mount", "-t", "tmpfs", "-o", "size="+kib+"k", "tmpfs", dir).Run()
}

// canMount reports whether fulldisk works here: on Linux, as root, outside of a
// container that forbids it.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "ccheck-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return mount(dir, "64") == nil && exec.Command("umount", dir).Run() == nil
})

// condition knows [fulldisk].
func condition(name string) (bool, error) {
	if name != "fulldisk" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return canMount(), nil
}
