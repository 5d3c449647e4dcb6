package once

import (
	"maps"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
)

// effect is what a round changed, without what is left to chance: for each table
// the rows that came and went.
type effect map[string][]string

// once is the effect of one call.
func (s *subject) once() effect { return s.effectOf(s.calm[0]) }

func (e effect) empty() bool { return len(e) == 0 }

// effectOf is the effect of a round.
func (s *subject) effectOf(r *round) effect {
	e := effect{}
	for table, c := range r.state {
		stable := s.stable(table)
		var rows []string
		for _, row := range c.removed {
			rows = append(rows, "-"+text(row, stable))
		}
		for _, row := range c.added {
			rows = append(rows, "+"+text(row, stable))
		}
		slices.Sort(rows)
		if len(rows) > 0 {
			e[table] = rows
		}
	}
	return e
}

// text is a row without the columns that are left to chance.
func text(row []history.Value, stable []bool) string {
	var b strings.Builder
	for i, v := range row {
		if i < len(stable) && stable[i] {
			b.WriteString(v.String())
		}
		b.WriteByte(0)
	}
	return b.String()
}

// stable says which columns of a table have the same values after two calm
// rounds.
func (s *subject) stable(table string) []bool {
	a, b := s.calm[0].state[table], s.calm[1].state[table]
	if a == nil || b == nil {
		return nil
	}
	list := make([]bool, len(a.columns))
	for i := range list {
		list[i] = slices.Equal(column(a.added, i), column(b.added, i)) && slices.Equal(column(a.removed, i), column(b.removed, i))
	}
	return list
}

func column(rows [][]history.Value, i int) []string {
	var list []string
	for _, r := range rows {
		if i < len(r) {
			list = append(list, r[i].String())
		}
	}
	slices.Sort(list)
	return list
}

// amount is how often something happened.
type amount int

const (
	never amount = iota
	exactly
	twice
	often // more than twice
	odd   // none of these
)

func (a amount) String() string {
	return [...]string{"not at all", "once", "twice", "more than twice", "in part"}[a]
}

// amounts compares a round with the calm ones, table by table.
func (s *subject) amounts(r *round) map[string]amount {
	one, two, now := s.once(), s.effectOf(s.double), s.effectOf(r)
	all := map[string]amount{}
	for _, table := range slices.Sorted(maps.Keys(union(one, now))) {
		switch {
		case slices.Equal(now[table], one[table]):
			all[table] = exactly
		case len(now[table]) == 0:
			all[table] = never
		case slices.Equal(now[table], two[table]):
			all[table] = twice
		case len(now[table]) > max(len(two[table]), len(one[table])):
			all[table] = often
		default:
			all[table] = odd
		}
	}
	return all
}

func union(a, b effect) effect {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// total is what happened on the whole.
func total(all map[string]amount) amount {
	var seen []amount
	for _, a := range all {
		if !slices.Contains(seen, a) {
			seen = append(seen, a)
		}
	}
	if len(seen) == 1 {
		return seen[0]
	}
	return odd
}

// more are the tables that have more of it than once.
func more(all map[string]amount) []string {
	var list []string
	for table, a := range all {
		if a == twice || a == often {
			list = append(list, table)
		}
	}
	slices.Sort(list)
	return list
}
