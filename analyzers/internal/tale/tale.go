// Package tale puts an anomaly into the words and lanes of a finding. It
// decides nothing: package graph has, and package mend writes the fixes.
package tale

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/graph"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// Anomaly fills in the story of a finding: name, lanes, steps, values before
// and after, the reason, and the scripts for psql. keep names tables whose
// writes are told even in long transactions.
func Anomaly(f *report.Finding, schema *lanes.Schema, a *graph.Anomaly, keep ...string) {
	s := lanes.Tell(schema, []*lanes.Txn{a.Reader, a.Writer}, links(a), append(keep, a.Missed.From.Access().Name)...)
	f.Anomaly = a.Name()
	f.Lanes, f.Steps = s.Lanes, s.Steps
	f.Repro.Psql = s.Psql()
	t := teller{schema: schema, a: a}
	f.Before, f.After, f.Expected = t.values()
	f.Why = t.why()
}

// Sentence says in a few words what happened.
func Sentence(schema *lanes.Schema, a *graph.Anomaly) string {
	t := teller{schema: schema, a: a}
	return t.sentence()
}

func links(a *graph.Anomaly) []lanes.Link {
	all := []lanes.Link{link(a.Missed)}
	if a.Back.Kind != "" {
		all = append(all, link(a.Back))
	}
	return all
}

func link(e graph.Edge) lanes.Link {
	return lanes.Link{Kind: e.Kind, From: lanes.Spot{Txn: e.From.Txn, Stmt: e.From.Stmt}, To: lanes.Spot{Txn: e.To.Txn, Stmt: e.To.Stmt}}
}

type teller struct {
	schema *lanes.Schema
	a      *graph.Anomaly
}

// reader and writer are the lanes' names in the story, which are given in the
// order of the first statements.
func (t *teller) reader() string { return laneName(t.a.Reader, t.a.Writer) }
func (t *teller) writer() string { return laneName(t.a.Writer, t.a.Reader) }

func laneName(x, other *lanes.Txn) string {
	if x.First() < other.First() {
		return "T1"
	}
	return "T2"
}

// what names what was read: "account id=3", or the table.
func (t *teller) what() string {
	for _, e := range []graph.End{t.a.Missed.To, t.a.Missed.From} {
		if row, ok := t.schema.Row(e.Statement(), e.Table); ok && (t.a.Missed.Row || e.Access().Kind.Writes()) {
			return e.Access().Name + " " + row
		}
	}
	return t.a.Missed.From.Access().Name
}

// column is the column that both are about, or "".
func (t *teller) column() string {
	for _, w := range t.a.Back.To.Access().Writes {
		if slices.Contains(t.a.Missed.Columns, w.Column) {
			return w.Column
		}
	}
	if len(t.a.Missed.Columns) > 0 {
		return t.a.Missed.Columns[0]
	}
	return ""
}

// values are the texts before, after and expected of a row that both wrote.
func (t *teller) values() (before, after, expected string) {
	if t.a.Back.Kind != "ww" || !t.a.Missed.Row || t.column() == "" {
		return "", "", ""
	}
	c := t.column()
	read, ok := returned(t.a.Missed.From, c)
	if !ok {
		return "", "", ""
	}
	label := t.what() + ": " + c + " "
	before = label + read
	v0 := number(read)
	first, ok1 := applied(t.a.Missed.To, c, v0)
	last, ok2 := applied(t.a.Back.To, c, first)
	if !ok1 || !ok2 || v0 == nil {
		return before, textAfter(t.a.Back.To, c, label), ""
	}
	after = label + text(last)
	if kind(t.a.Back.To, c) == sqlread.Absolute {
		// What the writer changed, and what the reader meant to change.
		sum := new(big.Rat).Add(first, new(big.Rat).Sub(last, v0))
		expected = label + text(sum)
		if v0.Sign() >= 0 && sum.Sign() < 0 {
			expected = label + text(first) + ", and " + t.reader() + " refused"
		}
	}
	return before, after, expected
}

// textAfter is the value that was written last, where it is no number.
func textAfter(e graph.End, column, label string) string {
	for _, w := range e.Access().Writes {
		if texts, ok := w.Value.Resolve(e.Statement().Arg); ok && w.Column == column && w.Kind == sqlread.Absolute && len(texts) == 1 {
			return label + texts[0]
		}
	}
	return ""
}

func returned(e graph.End, column string) (string, bool) {
	texts, ok := e.Statement().Returned(e.Table, column, "")
	if !ok || len(texts) != 1 {
		return "", false
	}
	return texts[0], true
}

func kind(e graph.End, column string) sqlread.WriteKind {
	for _, w := range e.Access().Writes {
		if w.Column == column {
			return w.Kind
		}
	}
	return 0
}

// applied is the value of the column after the write, when it was v before.
func applied(e graph.End, column string, v *big.Rat) (*big.Rat, bool) {
	for _, w := range e.Access().Writes {
		if w.Column != column {
			continue
		}
		texts, ok := w.Value.Resolve(e.Statement().Arg)
		if !ok || len(texts) != 1 {
			return nil, false
		}
		x := number(texts[0])
		switch {
		case x == nil:
			return nil, false
		case w.Kind == sqlread.Absolute:
			return x, true
		case w.Kind == sqlread.Relative && v != nil && w.Sign == "-":
			return new(big.Rat).Sub(v, x), true
		case w.Kind == sqlread.Relative && v != nil:
			return new(big.Rat).Add(v, x), true
		}
	}
	return nil, false
}

func number(s string) *big.Rat {
	if strings.ContainsAny(s, "/eE") {
		return nil
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return x
}

func text(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(x.FloatString(6), "0")
}

// sentence is the short form of why, for the message.
func (t *teller) sentence() string {
	r, w, what := t.reader(), t.writer(), t.what()
	const both = "T1 and T2"
	if t.a.OnReplica() {
		return fmt.Sprintf("%s decided on what the replica showed, which did not have the change of %s by %s yet", r, what, w)
	}
	switch t.a.Kind {
	case graph.LostUpdate:
		return fmt.Sprintf("%s overwrote what %s had written to %s since %s read it", r, w, what, r)
	case graph.StaleCheck:
		return fmt.Sprintf("%s changed %s after a check that was out of date: %s had changed it since", r, what, w)
	case graph.RowIgnored:
		return fmt.Sprintf("%s went on although its statement matched no row: %s had been faster on %s", r, w, what)
	case graph.ClaimTwice:
		return fmt.Sprintf("%s claimed the same row, %s", both, what)
	case graph.StaleSubquery:
		return fmt.Sprintf("%s computed its value in a subquery that did not see what %s changed in %s", r, w, t.a.Missed.From.Access().Name)
	case graph.EffectOutside:
		return fmt.Sprintf("%s had its effect outside the database before the database said no", r)
	case graph.SplitSnapshot:
		if t.a.Back.To.Access().Kind != sqlread.Insert {
			return fmt.Sprintf("%s waited for %s, found its row gone, and did not see the one that %s had put in its place", r, w, w)
		}
		return fmt.Sprintf("in one statement of %s the unique index saw the row of %s and the query did not", r, w)
	case graph.Phantom:
		return fmt.Sprintf("%s both looked in %s before the other one's row was there, and both inserted", both, t.a.Missed.From.Access().Name)
	case graph.WriteSkew:
		return fmt.Sprintf("%s each decided on what the other one was changing", both)
	case graph.OutOfOrder:
		return fmt.Sprintf("%s read %s while an insert of %s that had its number already was not committed", r, t.a.Missed.From.Access().Name, w)
	}
	return fmt.Sprintf("%s saw one part of what %s wrote and not the other", r, w)
}
