// Package rivals says which of the calls that were seen could get in each
// other's way, and how likely that does harm: from their statements alone, by
// table, column and key.
//
// It is no judge: it proves nothing, and orders what is to be run. What it does
// not understand counts as a conflict. The commands import it.
package rivals

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/probes/history"
)

// Statement is one that a call ran.
type Statement struct {
	SQL  string
	Args []history.Value // of $1, $2 …; NULL where the value is not known
	// Maybe says that another call may have run it.
	Maybe bool
}

// Call is what one call did, in order.
type Call struct {
	Name       string
	Statements []Statement
}

// Risk is how much two calls have to get wrong.
type Risk uint8

// The risks. None: nothing that one writes is touched by the other. Low: they
// meet, and only in one statement of each, which PostgreSQL keeps apart. Medium:
// one can come between two statements of the other, and which rows they touch
// is not known. High: on the same row or value.
const (
	None Risk = iota
	Low
	Medium
	High
)

func (r Risk) String() string { return [...]string{"none", "low", "medium", "high"}[r] }

// Pair is two calls by their indexes, and what is between them.
type Pair struct {
	A, B int
	Risk Risk
	// Where they meet: "item.stock", with several columns "item.stock,price".
	Where string
	Why   string
}

// Reader remembers the statements that it has read.
type Reader struct{ known map[string]*sqlread.Access }

// NewReader returns one that knows nothing.
func NewReader() *Reader { return &Reader{known: map[string]*sqlread.Access{}} }

func (r *Reader) read(sql string) *sqlread.Access {
	a := r.known[sql]
	if a == nil {
		read := sqlread.Read(sql)
		a = &read
		r.known[sql] = a
	}
	return a
}

// meet is a conflict of statement A of one call with statement B of the other.
type meet struct {
	a, b  int
	clash sqlread.Clash
	maybe bool
}

// Compare says what two calls have to get wrong. The same call twice is compared
// with itself.
func (r *Reader) Compare(a, b *Call) Pair {
	var all []meet
	for i := range a.Statements {
		for j := range b.Statements {
			x, y := &a.Statements[i], &b.Statements[j]
			c := sqlread.Conflicts(r.read(x.SQL), r.read(y.SQL), argsOf(x), argsOf(y))
			if c.Kind != sqlread.NoClash {
				all = append(all, meet{i, j, c, x.Maybe || y.Maybe})
			}
		}
	}
	if len(all) == 0 {
		return Pair{Why: "nothing that one writes is touched by the other"}
	}
	best := Pair{Risk: Low, Where: where(all[0].clash), Why: "they meet in one statement of each"}
	for _, m := range all {
		for _, n := range all {
			if p, ok := between(m, n); ok && p.Risk > best.Risk {
				best = p
			}
		}
	}
	return best
}

// between says whether the calls can meet in an order that no order of them as a
// whole explains: one goes first where they meet in m, the other where they meet
// in n. Locks may still forbid it; that is for the server to show.
func between(m, n meet) (Pair, bool) {
	if n.a <= m.a && m.b <= n.b {
		return Pair{}, false // the order inside of the calls forbids it
	}
	p := Pair{Risk: Medium, Where: where(n.clash), Why: "one can come between two statements of the other"}
	switch {
	case m.maybe || n.maybe:
		p.Why += "; other requests were open, which may have sent them"
	case m.clash.Kind == sqlread.RowClash && n.clash.Kind == sqlread.RowClash:
		p.Risk, p.Why = High, p.Why+", on the same row"
	default:
		p.Why += "; whether on the same rows is not known"
	}
	return p, true
}

func where(c sqlread.Clash) string {
	if c.Table == "" || len(c.Columns) == 0 {
		return cmp.Or(c.Table, "?")
	}
	return c.Table + "." + strings.Join(slices.Sorted(slices.Values(c.Columns)), ",")
}

func argsOf(s *Statement) sqlread.Args {
	return func(n int) (string, bool) {
		if n < 1 || n > len(s.Args) || s.Args[n-1].Null {
			return "", false
		}
		return s.Args[n-1].Text, true
	}
}

// Rank compares all calls with each other and, where again says so, with
// themselves, those with the highest risk first.
func (r *Reader) Rank(calls []Call, again func(i int) bool) []Pair {
	var list []Pair
	for i := range calls {
		for j := i; j < len(calls); j++ {
			if i == j && !again(i) {
				continue
			}
			p := r.Compare(&calls[i], &calls[j])
			p.A, p.B = i, j
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b Pair) int { return cmp.Compare(b.Risk, a.Risk) })
	return list
}

// Writes reports whether the call changes anything, as far as can be told.
func (r *Reader) Writes(c *Call) bool {
	return slices.ContainsFunc(c.Statements, func(s Statement) bool {
		a := r.read(s.SQL)
		return a.Opaque || slices.ContainsFunc(a.Tables, func(t sqlread.Table) bool { return t.Kind.Writes() })
	})
}

// Shape is the statement without its values.
func Shape(sql string) string { return sqlread.Shape(sql) }

// Columns names the columns that the parameters of a statement are compared
// with or written to: entry n-1 is that of $n, with its table in front, "" when
// it is not known.
func Columns(sql string) []string {
	a := sqlread.Read(sql)
	list := make([]string, a.Params)
	note := func(t *sqlread.Table, column string, v sqlread.Value) {
		if v.Kind == sqlread.Param && v.N >= 1 && v.N <= len(list) {
			list[v.N-1] = fmt.Sprintf("%s.%s", t.Name, column)
		}
	}
	for i := range a.Tables {
		t := &a.Tables[i]
		for _, p := range t.Preds {
			for _, v := range p.Values {
				note(t, p.Column, v)
			}
		}
		for _, w := range t.Writes {
			note(t, w.Column, w.Value)
		}
		for _, row := range t.Rows {
			for k, v := range row {
				if k < len(t.Into) {
					note(t, t.Into[k], v)
				}
			}
		}
	}
	return list
}
