package lanes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Spot is a statement of a transaction.
type Spot struct {
	Txn  *Txn
	Stmt int
}

// Link is a dependency to show: To depends on From.
type Link struct {
	Kind     string // "wr", "ww" or "rw"
	From, To Spot
}

// Story is a few transactions told as lanes.
type Story struct {
	Lanes []report.Lane
	Steps []report.Step
	spots []Spot
	// explicit is set for lanes that opened their transaction with BEGIN.
	explicit []bool
}

// short is the number of statements up to which a lane is told whole.
const short = 6

// Everything, in the place of a table to keep, has every lane told whole.
const Everything = "*"

// Tell makes the story of some transactions, one lane each, in the order in
// which their first statements were sent. Steps are in the order in which they
// were sent too, but for a write that found its row taken: it stands after the
// write that it waited for. keep names the tables whose accesses are told even
// when a lane has to be cut. Times count from the first step.
func Tell(schema *Schema, txns []*Txn, links []Link, keep ...string) *Story {
	txns = slices.Clone(txns)
	slices.SortStableFunc(txns, func(a, b *Txn) int { return cmp.Compare(a.First(), b.First()) })
	st := &Story{}
	for n, t := range txns {
		st.Lanes = append(st.Lanes, report.Lane{Name: fmt.Sprintf("T%d", n+1), Detail: detail(t)})
		st.explicit = append(st.explicit, t.Stmts[0].Access.Control == sqlread.Begin)
		st.spots = append(st.spots, choose(t, links, keep)...)
		for _, o := range t.Outside {
			for i := range o.Stmts {
				st.spots = append(st.spots, Spot{o, i})
			}
		}
	}
	slices.SortStableFunc(st.spots, func(a, b Spot) int { return cmp.Compare(a.stmt().Begin.Index, b.stmt().Begin.Index) })
	st.overtake(links)
	for _, s := range st.spots {
		step := st.step(schema, s, laneOf(txns, s.Txn), txns)
		if step.Wait == "" {
			step.Wait = heldUp(s, links, txns)
		}
		st.Steps = append(st.Steps, step)
	}
	st.link(links)
	st.rebase()
	return st
}

// overtake puts a write behind the one whose row lock it waited for, though it
// was sent first: two statements that are on their way at once reach the row in
// an order of their own.
func (st *Story) overtake(links []Link) {
	for _, l := range links {
		from, to := slices.Index(st.spots, l.From), slices.Index(st.spots, l.To)
		if l.Kind != "ww" || to < 0 || to > from || l.To.stmt().Finish() < l.From.stmt().Finish() {
			continue
		}
		st.spots = slices.Insert(slices.Delete(st.spots, to, to+1), from, l.To)
	}
}

func (s Spot) stmt() *Stmt { return &s.Txn.Stmts[s.Stmt] }

func laneOf(txns []*Txn, t *Txn) int {
	return slices.IndexFunc(txns, func(x *Txn) bool { return x == t || slices.Contains(x.Outside, t) })
}

// detail says who ran the transaction: "client 3, transfer, try 2". Where many
// requests ran at once, only its connection is known.
func detail(t *Txn) string {
	who := "client"
	if t.Call != nil && t.Call.ID == 0 {
		who = "connection"
	}
	parts := []string{fmt.Sprintf("%s %d", who, t.Process)}
	if t.Call != nil && t.Call.Actor != "" {
		parts = append(parts, t.Call.Actor)
	}
	if t.Try > 1 {
		parts = append(parts, fmt.Sprintf("try %d", t.Try))
	}
	if t.Level != ReadCommitted {
		parts = append(parts, t.Level.String())
	}
	return strings.Join(parts, ", ")
}

// choose picks the statements that are told: all of a short transaction, else
// those that a dependency needs, those on the tables to keep, those that
// failed, and the end.
func choose(t *Txn, links []Link, keep []string) []Spot {
	var spots []Spot
	for i := range t.Stmts {
		if t.Stmts[i].Access.Control != sqlread.Begin {
			spots = append(spots, Spot{t, i})
		}
	}
	if len(spots) <= short || slices.Contains(keep, Everything) {
		return spots
	}
	return slices.DeleteFunc(spots, func(s Spot) bool {
		needed := slices.ContainsFunc(links, func(l Link) bool { return l.From == s || l.To == s })
		kept := slices.ContainsFunc(s.stmt().Access.Tables, func(a sqlread.Table) bool {
			return a.Kind.Writes() && slices.Contains(keep, a.Name)
		})
		return !needed && !kept && !s.stmt().Failed() && s.Stmt != len(t.Stmts)-1
	})
}

// step tells one statement.
func (st *Story) step(schema *Schema, s Spot, lane int, txns []*Txn) report.Step {
	x := s.stmt()
	step := report.Step{Lane: lane, Text: schema.SQL(x), Start: x.Begin.Time, End: x.Finish(), Read: readText(x), Wrote: schema.wroteText(x), Result: resultText(s)}
	if x.Begin.Stmt.File != "" {
		step.Where = report.Location{File: x.Begin.Stmt.File, Line: x.Begin.Stmt.Line}
	}
	if x.Begin.Stmt.Outside {
		step.Text = "outside: " + step.Text
	}
	step.Wait = waitText(x, txns)
	return step
}

// readText says what came back: "balance = 100", "no row".
func readText(s *Stmt) string {
	if s.End == nil || s.Failed() || s.Access.Control != sqlread.None || len(s.Access.Outputs) == 0 {
		return ""
	}
	rows := s.End.Rows
	if len(rows) == 0 {
		return "no row"
	}
	var parts []string
	for n, v := range rows[0] {
		parts = append(parts, columnName(s, n)+" = "+v.String())
	}
	text := strings.Join(parts, ", ")
	if more := len(rows) + s.End.More - 1; more > 0 {
		text += fmt.Sprintf(" and %s", plural(more, "more row"))
	}
	return text
}

// columnName names column n of the answer: by the table's column where it is
// one, since an alias is the application's own word.
func columnName(s *Stmt, n int) string {
	if n < len(s.Access.Outputs) {
		if o := s.Access.Outputs[n]; o.Table >= 0 && o.Column != "*" && o.Func == "" && len(s.Access.Outputs) == len(s.End.Columns) {
			return o.Column
		}
	}
	if n < len(s.End.Columns) {
		return s.End.Columns[n]
	}
	return "?"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// wroteText says what was written: "balance = 70", "0 rows".
func (c *Schema) wroteText(s *Stmt) string {
	if s.End == nil || s.Failed() {
		return ""
	}
	for i := range s.Access.Tables {
		t := &s.Access.Tables[i]
		switch {
		case !t.Kind.Writes():
		case !s.Effective(i):
			return "0 rows"
		case t.Kind == sqlread.Update && s.End.Affected <= 1:
			return c.setText(s, t)
		case s.End.Affected > 0 && !t.Sub:
			return plural(int(s.End.Affected), "row")
		default:
			return t.Kind.String()
		}
	}
	return ""
}

func (c *Schema) setText(s *Stmt, t *sqlread.Table) string {
	var parts []string
	for _, w := range t.Writes {
		value := c.fill(s, w.Text)
		if texts, ok := w.Value.Resolve(s.Arg); ok {
			value = "NULL"
			if len(texts) == 1 {
				value = texts[0]
			}
		}
		if w.Kind == sqlread.Relative && !strings.Contains(value, w.Column) {
			value = w.Column + " " + w.Sign + " " + value
		}
		parts = append(parts, w.Column+" = "+value)
	}
	return strings.Join(parts, ", ")
}

// resultText says how a transaction ended, or the error.
func resultText(s Spot) string {
	x := s.stmt()
	switch {
	case x.End == nil || x.End.Kind == history.Info:
		return "no answer: the outcome is unknown"
	case x.Failed():
		return "ERROR " + x.End.SQLState + " " + x.End.Error
	case x.Access.Control == sqlread.Commit && s.Txn.State == Aborted:
		return "ROLLBACK: the transaction had failed"
	case x.Access.Control == sqlread.Commit:
		return "COMMIT ok"
	}
	return ""
}

// heldUp says of a write which no sample saw waiting that it did: it was sent
// before the transaction that held its row began to commit, and answered after.
func heldUp(s Spot, links []Link, txns []*Txn) string {
	x := s.stmt()
	for _, l := range links {
		if l.Kind != "ww" || l.To != s || l.From.Txn.State != Committed {
			continue
		}
		if sent, _ := l.From.Txn.Commit(); x.Begin.Time < sent && sent < x.Finish() {
			return waits(laneName(fmt.Sprint(l.From.Txn.Process), txns), x)
		}
	}
	return ""
}

// waitText says what the statement waited for, from the samples.
func waitText(s *Stmt, txns []*Txn) string {
	if len(s.Waits) == 0 {
		return ""
	}
	first := s.Waits[0]
	who := first.Text
	if len(first.Args) > 0 {
		who = laneName(first.Args[0].Text, txns)
	}
	return waits(who, s)
}

func waits(who string, s *Stmt) string {
	return fmt.Sprintf("waits for %s, %s", who, (s.Finish() - s.Begin.Time).Round(100*time.Microsecond))
}

// laneName names the process that is waited for.
func laneName(process string, txns []*Txn) string {
	for n, t := range txns {
		if fmt.Sprint(t.Process) == process {
			return fmt.Sprintf("T%d", n+1)
		}
	}
	return "client " + process
}

// link puts the dependencies on the steps they end at.
func (st *Story) link(links []Link) {
	for _, l := range links {
		from, to := slices.Index(st.spots, l.From), slices.Index(st.spots, l.To)
		if from < 0 || to < 0 {
			continue
		}
		dep := report.Dep{From: from, Kind: l.Kind}
		if !slices.Contains(st.Steps[to].Deps, dep) {
			st.Steps[to].Deps = append(st.Steps[to].Deps, dep)
		}
	}
}

// rebase makes the times count from the first step.
func (st *Story) rebase() {
	if len(st.Steps) == 0 {
		return
	}
	zero := st.Steps[0].Start
	for i := range st.Steps {
		st.Steps[i].Start -= zero
		st.Steps[i].End -= zero
	}
}
