package lanes

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/report"
)

// SQL is the statement with its values in place, ready for psql.
func (c *Schema) SQL(s *Stmt) string { return c.fill(s, s.Begin.Stmt.SQL) }

// fill puts the values of a statement into a piece of its text.
func (c *Schema) fill(s *Stmt, src string) string {
	var b strings.Builder
	pos := 0
	for _, p := range sqlread.Params(src) {
		if p.N > len(s.Begin.Args) {
			continue
		}
		b.WriteString(oneLine(src[pos:p.Lo]))
		b.WriteString(c.literal(s, p.N))
		pos = p.Hi
	}
	b.WriteString(oneLine(src[pos:]))
	return strings.TrimSuffix(strings.TrimSpace(b.String()), ";")
}

// Template is a statement without its values: every $n is a variable with the
// name of the column that it stands against.
func Template(a *sqlread.Access, sql string) string {
	var b strings.Builder
	pos := 0
	for _, p := range sqlread.Params(sql) {
		name := fmt.Sprintf("p%d", p.N)
		for i := range a.Tables {
			if c := paramColumn(&a.Tables[i], p.N); c != "" {
				name = c
				break
			}
		}
		b.WriteString(oneLine(sql[pos:p.Lo]) + ":" + name)
		pos = p.Hi
	}
	b.WriteString(oneLine(sql[pos:]))
	return strings.TrimSuffix(strings.TrimSpace(b.String()), ";")
}

// oneLine puts a piece of a statement on one line and leaves the blanks inside
// of a line alone.
func oneLine(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines[1:] {
		lines[i+1] = strings.TrimLeft(lines[i+1], " \t")
	}
	return strings.Join(lines, " ")
}

// literal writes the value of $n as SQL: a number bare, unless it stands
// against a column that holds text.
func (c *Schema) literal(s *Stmt, n int) string {
	v := s.Begin.Args[n-1]
	if v.Null {
		return "NULL"
	}
	if number(v.Text) && !c.textual(s.Access, n) {
		return v.Text
	}
	return Quote(v.Text)
}

// Quote writes a text as an SQL string.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func number(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits, dots := 0, 0
	for _, c := range s {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c == '.':
			dots++
		default:
			return false
		}
	}
	return digits > 0 && dots <= 1
}

// textual reports whether $n is compared with, or written to, a column that
// is known and does not hold numbers.
func (c *Schema) textual(a *sqlread.Access, n int) bool {
	for i := range a.Tables {
		t := &a.Tables[i]
		column := paramColumn(t, n)
		if column != "" && c.Type(t.Name, column) != "" {
			return !c.Numeric(t.Name, column)
		}
	}
	return false
}

func paramColumn(t *sqlread.Table, n int) string {
	is := func(v sqlread.Value) bool { return v.Kind == sqlread.Param && v.N == n }
	for _, p := range t.Preds {
		for _, v := range p.Values {
			if is(v) {
				return p.Column
			}
		}
	}
	for _, w := range t.Writes {
		if is(w.Value) {
			return w.Column
		}
	}
	for _, row := range t.Rows {
		for i, v := range row {
			if is(v) && i < len(t.Into) {
				return t.Into[i]
			}
		}
	}
	return ""
}

// Psql is the story as one script per session, to be typed in the order of the
// numbers.
func (st *Story) Psql() []string {
	scripts := make([]string, len(st.Lanes))
	for lane := range st.Lanes {
		var b strings.Builder
		fmt.Fprintf(&b, "-- session %d of %d, %s; run the statements of all sessions in the order of their numbers\n", lane+1, len(st.Lanes), st.Lanes[lane].Detail)
		b.WriteString(st.begin(lane))
		for n, step := range st.Steps {
			if step.Lane == lane {
				fmt.Fprintf(&b, "/* %d */ %s\n", n+1, typed(step))
			}
		}
		scripts[lane] = b.String()
	}
	return scripts
}

// begin opens the lane's transaction, at its level when that is not the default.
// A lane that ends with no COMMIT or ROLLBACK was on autocommit.
func (st *Story) begin(lane int) string {
	if !st.explicit[lane] {
		return ""
	}
	for _, level := range []Level{RepeatableRead, Serializable} {
		if strings.Contains(st.Lanes[lane].Detail, level.String()) {
			return "BEGIN ISOLATION LEVEL " + level.String() + ";\n"
		}
	}
	return "BEGIN;\n"
}

func typed(step report.Step) string {
	if rest, ok := strings.CutPrefix(step.Text, "outside: "); ok {
		return "-- on another connection: " + rest + ";"
	}
	return step.Text + ";"
}
