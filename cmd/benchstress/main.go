// Benchstress measures ccheck stress beside pgbench: the same script, on the
// same server, in turn, recording and judging on. It prints the throughput of
// each and the ratio of pairs from one round, which holds when the machine's
// speed drifts.
//
//	go run ./cmd/benchstress [-rounds 5] [-seconds 3] [-clients 1,8,32] [-mode prepared] [-durable]
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/cmd/internal/bench"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

//go:embed transfer
var transfer embed.FS

type options struct {
	rounds, seconds int
	clients         string
	mode            string
	durable         bool
	ccheck          string
	pgbench         string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; the median of their ratios is printed")
	flag.IntVar(&o.seconds, "seconds", 3, "length of each run")
	flag.StringVar(&o.clients, "clients", "1,8,32", "numbers of clients")
	flag.StringVar(&o.mode, "mode", "prepared", "protocol: simple, extended or prepared")
	flag.BoolVar(&o.durable, "durable", false, "keep fsync and synchronous_commit on")
	flag.StringVar(&o.ccheck, "ccheck", "", "the ccheck to measure (default: built from this tree)")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "benchstress:", err)
		os.Exit(1)
	}
}

// lab is a server with the tables, and the files that both tools run.
type lab struct {
	options
	server *postgres.Server
	dir    string
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ccheck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := postgres.Start(ctx, postgres.Options{Durable: o.durable})
	if err != nil {
		return err
	}
	defer server.Stop(ctx)
	l := &lab{options: o, server: server, dir: dir}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("%s, %d rounds of %d s, -M %s, durable %v\n", server.Version(), o.rounds, o.seconds, o.mode, o.durable)
	fmt.Printf("%8s %14s %14s %22s\n", "clients", "pgbench tps", "ccheck tps", "ccheck/pgbench")
	for text := range strings.SplitSeq(o.clients, ",") {
		clients, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-clients %q: %w", o.clients, err)
		}
		if err := l.compare(ctx, clients); err != nil {
			return err
		}
	}
	return nil
}

// compare runs both tools in turn and prints medians and the spread of the ratio.
func (l *lab) compare(ctx context.Context, clients int) error {
	var theirs, ours []float64
	for round := range l.rounds {
		first, second := l.runPgbench, l.runCcheck
		a, err := first(ctx, clients)
		if err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		b, err := second(ctx, clients)
		if err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		theirs, ours = append(theirs, a), append(ours, b)
	}
	fmt.Printf("%8d %14.0f %14.0f %22s\n", clients, bench.Median(theirs), bench.Median(ours), bench.Spread(bench.Ratios(ours, theirs)))
	return nil
}

// prepare writes the files, builds ccheck and makes pgbench's table.
func (l *lab) prepare(ctx context.Context) error {
	files, err := fs.Sub(transfer, "transfer")
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(l.dir, "transfer"), files); err != nil {
		return err
	}
	if l.pgbench = filepath.Join(l.server.Install().Bin, "pgbench"); !exists(l.pgbench) {
		return errors.New("no pgbench beside the server: install the package with PostgreSQL's client programs")
	}
	if l.ccheck, err = bench.Build(ctx, l.ccheck, l.dir); err != nil {
		return err
	}
	conn, err := pgconn.ConnectConfig(ctx, l.server.Config())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "create table account (id int primary key, balance bigint not null); insert into account select id, 1000 from generate_series(1, 1000) id; analyze account").ReadAll()
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var tps = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)

func (l *lab) runPgbench(ctx context.Context, clients int) (float64, error) {
	u, err := url.Parse(l.server.DSN())
	if err != nil {
		return 0, errors.New("the server's address is not a URL")
	}
	password, _ := u.User.Password()
	cmd := exec.CommandContext(ctx, l.pgbench, "-n", "-M", l.mode, "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, 2)),
		"-T", strconv.Itoa(l.seconds), "-f", filepath.Join(l.dir, "transfer", "transfer.sql"),
		"-h", u.Hostname(), "-p", u.Port(), "-U", u.User.Username(), strings.TrimPrefix(u.Path, "/"))
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	out, err := cmd.CombinedOutput()
	m := tps.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// result is what is read of ccheck's JSON.
type result struct {
	Summary struct {
		Final struct {
			Accepted int64         `json:"accepted"`
			Elapsed  time.Duration `json:"elapsed_ns"`
		} `json:"final"`
	} `json:"summary"`
}

func (l *lab) runCcheck(ctx context.Context, clients int) (float64, error) {
	history := filepath.Join(l.dir, "run.jsonl")
	defer os.Remove(history)
	cmd := exec.CommandContext(ctx, l.ccheck, "stress", filepath.Join(l.dir, "transfer"), "--clients", strconv.Itoa(clients),
		"--duration", fmt.Sprintf("%ds", l.seconds), "--protocol", l.mode, "--history", history, "--json", "--quiet",
		"--max-connections", "200", "--exit-zero")
	cmd.Env = append(os.Environ(), "CCHECK_DSN="+l.server.DSN())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("ccheck: %w", err)
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return 0, fmt.Errorf("reading ccheck's JSON: %w", err)
	}
	return float64(r.Summary.Final.Accepted) / r.Summary.Final.Elapsed.Seconds(), nil
}
