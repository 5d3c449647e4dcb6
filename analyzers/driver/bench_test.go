package driver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// generate writes a history of that many statements: lanes in turn, each with
// BEGIN, a read, an update and COMMIT on few accounts, as a wallet does. With
// careful the update is relative and the books balance.
func generate(b testing.TB, statements, lanes int, careful, broken bool) *history.File {
	path := filepath.Join(b.TempDir(), "run.jsonl")
	read, sql := "SELECT balance FROM account WHERE id = $1", "UPDATE account SET balance = $2 WHERE id = $1"
	if careful {
		read, sql = "SELECT name FROM owner WHERE id = $1", "UPDATE account SET balance = balance + $2 WHERE id = $1"
	}
	claim := "SELECT id AS account, balance FROM account WHERE balance < 0"
	w, err := history.Create(path, history.Header{
		Target: history.Target{Kind: "postgresql", Isolation: "read committed"},
		Tables: []history.Table{{Name: "account", Columns: []string{"id", "balance"}, Types: []string{"integer", "bigint"}, Key: []string{"id"}}},
		Claims: []history.Claim{{Name: "no account is overdrawn", Kind: history.Invariant, SQL: claim}},
		Actors: []history.Actor{{Name: "pay", Effects: []history.Effect{{Table: "account", Key: "id", Column: "balance", KeyVar: "id", AddVar: "add"}}}},
	}, 0)
	if err != nil {
		b.Fatal(err)
	}
	g := generator{w: w, stmts: []*history.Stmt{{ID: 1, SQL: "BEGIN"}, {ID: 2, SQL: read}, {ID: 3, SQL: sql}, {ID: 4, SQL: "COMMIT"}}}
	if err := w.Define(g.stmts...); err != nil {
		b.Fatal(err)
	}
	for i := range lanes {
		g.lanes = append(g.lanes, &genLane{rec: w.Recorder(i)})
	}
	g.state("before", 0)
	for n := 0; n < statements; {
		for i, l := range g.lanes {
			n += g.step(l, i)
		}
	}
	g.state("after", 0)
	g.check(broken)
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	f, err := history.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

const accounts = 10

type generator struct {
	w     *history.Writer
	stmts []*history.Stmt
	lanes []*genLane
	n     int
}

type genLane struct {
	rec *history.Recorder
	at  int
	txn int64
	id  string
}

// step makes one event of a lane and returns 1 for the answer to a statement.
func (g *generator) step(l *genLane, lane int) int {
	defer func() { l.at = (l.at + 1) % 10 }()
	switch l.at {
	case 0:
		g.n++
		l.rec.BeginCall("pay")
		l.txn, l.id = l.rec.NextTxn(), strconv.Itoa((g.n*7+lane)%accounts)
		return 0
	case 9:
		l.rec.EndCall(history.Accepted, 1, []history.Var{{Name: "id", Value: history.Text(l.id)}, {Name: "add", Value: history.Text("0")}}, nil)
		if err := l.rec.Flush(); err != nil {
			panic(err)
		}
		return 0
	}
	st := (l.at - 1) / 2
	if l.at%2 == 1 {
		o := &history.Op{Scope: history.ScopeQuery, Kind: history.Invoke, Stmt: g.stmts[st], Txn: l.txn}
		o.Args = [][]history.Value{nil, {history.Text(l.id)}, {history.Text(l.id), history.Text("0")}, nil}[st]
		l.rec.Record(o)
		return 0
	}
	o := &history.Op{Scope: history.ScopeQuery, Kind: history.OK, Stmt: g.stmts[st], Txn: l.txn, Status: "TTTI"[st], Tag: [...]string{"BEGIN", "SELECT 1", "UPDATE 1", "COMMIT"}[st]}
	if st == 1 {
		o.Columns, o.Rows = []string{"balance"}, [][]history.Value{{history.Text("100")}}
	}
	l.rec.Record(o)
	return 1
}

func (g *generator) state(phase string, balance int) {
	o := &history.Op{Scope: history.ScopeState, Kind: history.OK, Text: "account", Phase: phase, Columns: []string{"id", "balance"}}
	for i := range accounts {
		o.Rows = append(o.Rows, []history.Value{history.Text(strconv.Itoa(i)), history.Text(strconv.Itoa(balance))})
	}
	g.record(o)
}

// check records the claim as held, or as broken although nothing went wrong.
func (g *generator) check(broken bool) {
	o := &history.Op{Scope: history.ScopeCheck, Kind: history.OK, Text: "no account is overdrawn"}
	if broken {
		o.Columns, o.Rows = []string{"account", "balance"}, [][]history.Value{{history.Text("3"), history.Text("-1")}}
	}
	g.record(o)
}

func (g *generator) record(o *history.Op) {
	rec := g.w.Recorder(history.Checker)
	rec.Record(o)
	if err := rec.Flush(); err != nil {
		panic(err)
	}
}

// judged is a kind of history that is judged.
type judged struct {
	name            string
	careful, broken bool
}

// BenchmarkJudge judges histories of three sizes: clean, with a claim that is
// broken and soon explained, and with one that is broken and explained by
// nothing, which is the dearest case, since pairs of calls are compared until
// the search is given up.
func BenchmarkJudge(b *testing.B) {
	for _, statements := range []int{10_000, 100_000, 1_000_000} {
		for _, lanes := range []int{8, 200} {
			for _, k := range []judged{{"clean", true, false}, {"explained", false, true}, {"unexplained", true, true}} {
				b.Run(fmt.Sprintf("statements=%d/lanes=%d/%s", statements, lanes, k.name), func(b *testing.B) {
					k.bench(b, statements, lanes)
				})
			}
		}
	}
}

func (k judged) bench(b *testing.B, statements, lanes int) {
	f := generate(b, statements, lanes, k.careful, k.broken)
	if info, err := os.Stat(f.Path); err == nil {
		b.SetBytes(info.Size())
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := Judge(context.Background(), f, all)
		if err != nil || k.broken != (r.Verdict == report.Faulty) {
			b.Fatalf("verdict %s, reasons %v, %v", r.Verdict, r.Reasons, err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB-sys")
}
