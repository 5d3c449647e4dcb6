package serial

import (
	"iter"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/historytest"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// The histories are written as those of other judges. "check round PHASE
// SCHEDULE" stands for the note that ends a round.
func TestFindings(t *testing.T) {
	historytest.Golden(t, func(f *history.File) (findings []report.Finding, unknown []string, err error) {
		h := *f.Header
		h.Probe = probe
		h.Params = append(h.Params, history.Parameter{Name: "lanes", Value: "a b"})
		err = Checker.Run(&check.Pass{
			Header: &h, Ops: func() iter.Seq2[*history.Op, error] { return rounds(f.Ops()) },
			Report:   func(f report.Finding) { findings = append(findings, f) },
			Unknown:  func(s string) { unknown = append(unknown, s) },
			Evidence: func(report.Evidence) {},
		})
		return findings, unknown, err
	})
}

func rounds(ops iter.Seq2[*history.Op, error]) iter.Seq2[*history.Op, error] {
	return func(yield func(*history.Op, error) bool) {
		for o, err := range ops {
			if o != nil && o.Scope == history.ScopeCheck {
				if rest, ok := strings.CutPrefix(o.Text, "round "); ok {
					phase, schedule, _ := strings.Cut(rest, " ")
					o = &history.Op{Index: o.Index, Time: o.Time, Process: o.Process, Scope: history.ScopeNote, Kind: history.OK, Phase: phase, Text: schedule}
				}
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// A history of another probe says nothing to this judge.
func TestOtherProbes(t *testing.T) {
	f := historytest.Read(t, "A calls pay\nA ends accepted\n")
	err := Checker.Run(&check.Pass{
		Header: f.Header, Ops: f.Ops,
		Report:   func(f report.Finding) { t.Error(f.Message) },
		Unknown:  func(s string) { t.Error(s) },
		Evidence: func(report.Evidence) { t.Error("evidence") },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Steps that commute, and steps that look as if they did.
func TestCommuter(t *testing.T) {
	tables := []history.Table{
		{Name: "purse", Columns: []string{"id", "cents", "owner"}, Key: []string{"id"}, Unique: []string{"CREATE UNIQUE INDEX purse_owner ON purse (owner)"}},
		{Name: "payout", Columns: []string{"id", "purse_id"}, Key: []string{"id"}, Constraints: []string{"FOREIGN KEY (purse_id) REFERENCES purse(id)"}},
		{Name: "log", Columns: []string{"text"}},
	}
	step := func(sql string, args ...history.Value) Step {
		return Step{Stmt: &history.Stmt{SQL: sql}, Args: args}
	}
	one, two := history.Int(1), history.Int(2)
	read, write := "SELECT cents FROM purse WHERE id = $1", "UPDATE purse SET cents = cents - 1 WHERE id = $1"
	commit := func(inside ...Step) Step {
		return Step{Stmt: &history.Stmt{SQL: "COMMIT"}, Inside: inside}
	}
	first := func(s Step) Step { s.First = true; return s }
	tests := []struct {
		name  string
		level string
		a, b  Step
		want  bool
	}{
		{"two reads of a row", "read committed", step(read, one), step(read, one), true},
		{"read and write of a row", "read committed", step(read, one), step(write, one), false},
		{"writes of two rows", "read committed", step(write, one), step(write, two), true},
		{"writes of two rows, predicate locks", "serializable", step(write, one), step(write, two), false},
		{"a unique column", "read committed", step("UPDATE purse SET owner = 'x' WHERE id = $1", one), step(write, two), false},
		{"two tables", "read committed", step(write, one), step("INSERT INTO log VALUES ('x')"), true},
		{"a row and who refers to it", "read committed", step("INSERT INTO payout VALUES (1, 1)"), step(write, one), false},
		{"two inserts, numbers", "read committed", step("INSERT INTO log VALUES ('x')"), step("INSERT INTO log VALUES ('y')"), false},
		{"a commit of what is read", "read committed", commit(step(write, one)), step(read, one), false},
		{"a commit of another row", "read committed", commit(step(write, two)), step(read, one), true},
		{"a commit and a snapshot", "repeatable read", commit(step(write, two)), first(step(read, one)), false},
		{"two commits", "read committed", commit(step(write, one)), commit(step(write, two)), true},
		{"two commits, who is rolled back", "serializable", commit(step(write, one)), commit(step(write, two)), false},
		{"a function", "read committed", step("SELECT transfer(1, 2) FROM purse"), step("SELECT nosuch FROM elsewhere"), false},
	}
	for _, tt := range tests {
		c := NewCommuter(&history.Header{Tables: tables, Target: history.Target{Isolation: tt.level}})
		if got, back := c.Steps(tt.a, tt.b), c.Steps(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("%s: %v, the other way %v, want %v", tt.name, got, back, tt.want)
		}
	}
}
