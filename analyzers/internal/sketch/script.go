package sketch

import (
	"fmt"
	"strings"
)

// script is the call: the check, and what the application does when it may go
// on. What it decides in its own language is a condition beside the check.
func (s *Sketch) script(types Types, tx bool, head string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- The statements of %s, and its decision.\n%s", s.From, head)
	body := s.body(types)
	if tx {
		body = "BEGIN;\n" + body + "COMMIT;\n"
	}
	b.WriteString(body)
	return b.String()
}

func (s *Sketch) body(types Types) string {
	var b strings.Builder
	check, rest := s.Steps[0], s.Steps[1:]
	b.WriteString(check.asked())
	b.WriteString("\\if :going\n")
	for _, step := range rest {
		b.WriteString(s.done(types, step))
	}
	b.WriteString("\\else\n-- @decide\n\\endif\n")
	return b.String()
}

// asked is the check, which leaves its columns and :going.
func (p Step) asked() string {
	sql := strings.TrimRight(p.SQL, "; \n")
	alias := "q"
	if len(p.Names) > 0 {
		var names []string
		for _, n := range p.Names {
			names = append(names, ident(n))
		}
		alias += " (" + strings.Join(names, ", ") + ")"
	}
	switch {
	case !p.Check: // an UPDATE that found nothing
		return sql + ";\n-- @rows changed\n\\set going :changed = 0\n"
	case p.Absent:
		return fmt.Sprintf("SELECT count(*) = 0 AS going FROM (%s) AS %s \\gset\n", sql, alias)
	case p.Going == "":
		return fmt.Sprintf("\\set going false\nSELECT q.*, true AS going FROM (%s) AS %s \\aset\n", sql, alias)
	}
	return fmt.Sprintf("\\set going false\nSELECT q.*, %s AS going FROM (%s) AS %s \\aset\n", p.Going, sql, alias)
}

// done is a statement behind the check.
func (s *Sketch) done(types Types, p Step) string {
	var b strings.Builder
	sql := p.SQL
	for _, set := range p.Sets {
		switch s.typeOf(types, set.Table, set.Column) {
		case "bigint", "numeric", "":
			expr := set.Expr
			if expr == "" {
				expr = ":" + set.From + " + 1"
			}
			fmt.Fprintf(&b, "\\set %s %s\n", set.Name, expr)
		default:
			sql = strings.ReplaceAll(sql, ":"+set.Name, s.other(types, set))
		}
	}
	b.WriteString(strings.TrimRight(sql, "; \n") + ";\n")
	return b.String()
}

// other is a value that differs from the one that was read, in SQL.
func (s *Sketch) other(types Types, set Set) string {
	switch s.typeOf(types, set.Table, set.Column) {
	case "boolean":
		return "NOT :" + set.From + "::boolean"
	case "timestamptz", "date":
		return ":" + set.From + "::timestamptz + interval '1 day'"
	case "jsonb":
		return "jsonb_build_array(:" + set.From + "::jsonb)"
	}
	return ":" + set.From + "::text || '+'"
}
