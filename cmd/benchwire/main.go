//go:build unix

// Benchwire measures what a proxy in front of PostgreSQL costs: pgbench on the
// server itself, through ccheck's proxy without and with recording, and through
// pgbouncer in session mode, in turn on one server. Every client has a new
// session on the server on each way. It prints medians, the ratios of runs from
// one round, which hold when the machine's speed drifts, and the CPU time that a
// proxy took for a transaction, which hardly moves with what else the machine
// does.
//
//	go run ./cmd/benchwire [-rounds 5] [-seconds 2] [-warm 1] [-kept] [-clients 1,8,32] [-mode simple] [-workloads select-only,tpcb-like]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ccheck/ccheck/cmd/internal/bench"
	"github.com/ccheck/ccheck/probes/server/postgres"
)

type options struct {
	rounds, seconds, warm    int
	scale                    int
	clients, mode, workloads string
	pgbouncer                string
	kept                     bool
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; medians of their ratios are printed")
	flag.IntVar(&o.seconds, "seconds", 2, "length of each run behind the warm-up")
	flag.IntVar(&o.warm, "warm", 1, "seconds at the start of each run that do not count")
	flag.IntVar(&o.scale, "scale", 10, "pgbench's scale factor")
	flag.StringVar(&o.clients, "clients", "1,8,32", "numbers of clients")
	flag.StringVar(&o.mode, "mode", "simple", "protocol: simple, extended or prepared")
	flag.StringVar(&o.workloads, "workloads", "select-only,tpcb-like", "pgbench's built-in scripts")
	flag.StringVar(&o.pgbouncer, "pgbouncer", "pgbouncer", "the pgbouncer to compare with")
	flag.BoolVar(&o.kept, "kept", false, "pgbouncer also with the sessions on the server that clients of earlier runs have left")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "benchwire:", err)
		stop()
		os.Exit(1)
	}
}

// lab is the server and the ways to it.
type lab struct {
	options
	server *postgres.Server
	dir    string
	ways   []*way
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ccheck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := postgres.Start(ctx, postgres.Options{Dir: postgres.MemoryDir()})
	if err != nil {
		return err
	}
	defer server.Stop(context.WithoutCancel(ctx))
	l := &lab{options: o, server: server, dir: dir}
	defer l.close()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("%s, %d rounds of %d s behind %d s, -M %s, scale %d\n", server.Version(), o.rounds, o.seconds, o.warm, o.mode, o.scale)
	for workload := range strings.SplitSeq(o.workloads, ",") {
		for text := range strings.SplitSeq(o.clients, ",") {
			clients, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("-clients %q: %w", o.clients, err)
			}
			if err := l.compare(ctx, workload, clients); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare opens the ways and makes pgbench's tables.
func (l *lab) prepare(ctx context.Context) error {
	ways := []func(context.Context) (*way, error){l.direct, l.plain, l.recording, l.bouncer}
	if l.kept {
		ways = slices.Insert(ways, 3, l.keeping)
	}
	for _, open := range ways {
		w, err := open(ctx)
		if err != nil {
			return err
		}
		l.ways = append(l.ways, w)
	}
	out, err := l.pgbench(ctx, l.ways[0], "-i", "-q", "-s", strconv.Itoa(l.scale)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pgbench -i: %w\n%s", err, out)
	}
	return nil
}

func (l *lab) close() {
	for _, w := range l.ways {
		w.close()
	}
}

// compare runs all ways in turn and prints them.
func (l *lab) compare(ctx context.Context, workload string, clients int) error {
	for _, w := range l.ways {
		w.tps, w.latency, w.cpu = nil, nil, nil
	}
	for round := range l.rounds {
		// Each round begins with another way, so that none is always the first.
		for i := range l.ways {
			w := l.ways[(round+i)%len(l.ways)]
			if err := l.measure(ctx, w, workload, clients); err != nil {
				return fmt.Errorf("round %d, %s: %w", round+1, w.name, err)
			}
		}
	}
	direct, bouncer := l.ways[0], l.ways[len(l.ways)-1]
	fmt.Printf("\n%s, %d clients\n%-20s %9s %20s %20s %10s %10s %10s\n", workload, clients, "", "tps", "÷ direct", "÷ pgbouncer", "median µs", "added µs", "CPU µs")
	for _, w := range l.ways {
		fmt.Printf("%-20s %9.0f %20s %20s %10.0f %10.0f %10.1f\n", w.name, bench.Median(w.tps),
			bench.Spread(bench.Ratios(w.tps, direct.tps)), bench.Spread(bench.Ratios(w.tps, bouncer.tps)),
			bench.Median(w.latency), bench.Median(w.latency)-bench.Median(direct.latency), bench.Median(w.cpu))
	}
	return nil
}

// measure is one run of pgbench, which writes down every latency.
func (l *lab) measure(ctx context.Context, w *way, workload string, clients int) error {
	logs, err := os.MkdirTemp(l.dir, "log-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(logs)
	var out bytes.Buffer
	cmd := l.pgbench(ctx, w, "-n", "-b", workload, "-M", l.mode, "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, 2)),
		"-T", strconv.Itoa(l.warm+l.seconds), "-l", "--log-prefix="+filepath.Join(logs, "l"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("pgbench: %w", err)
	}
	time.Sleep(time.Duration(l.warm) * time.Second)
	from, before := time.Now(), w.used()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("pgbench: %w\n%s", err, out.Bytes())
	}
	spent := w.used() - before
	seen, err := read(logs, from)
	if err != nil {
		return err
	}
	w.tps, w.latency = append(w.tps, seen.tps()), append(w.latency, bench.Median(seen.latencies))
	w.cpu = append(w.cpu, float64(spent.Microseconds())/float64(len(seen.latencies)))
	return nil
}

func (l *lab) pgbench(ctx context.Context, w *way, args ...string) *exec.Cmd {
	cfg := l.server.Config()
	cmd := exec.CommandContext(ctx, filepath.Join(l.server.Install().Bin, "pgbench"), args...)
	cmd.Env = append(os.Environ(), "PGHOST=127.0.0.1", "PGPORT="+strconv.Itoa(w.port), "PGUSER="+cfg.User,
		"PGPASSWORD="+cfg.Password, "PGDATABASE="+cfg.Database, "PGSSLMODE=disable")
	return cmd
}
