package sqlcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// reason says why a write depends on a read.
type reason uint8

const (
	none     reason = iota
	absence         // a row is inserted because none was found
	count           // a row is inserted because there were few enough
	decision        // Go looked at a column that is written then
	computed        // a new value was computed from the old one
	claimed         // the read chose the row by a column that is written then
	consumed        // a row that can be used once is deleted
	carried         // columns are written back as they were read
	barred          // the state of the row would have refused the write
	saved           // an ORM saves a row where none was found
)

func (c *candidate) reason() reason {
	switch c.write.Kind {
	case sqlread.Insert:
		if c.replaced() {
			return computed
		}
		return c.insertReason()
	case sqlread.Update:
		return c.updateReason()
	case sqlread.Delete:
		return c.deleteReason()
	}
	return none
}

// conds are the branches on the answer of the read that lead to the write.
func (c *candidate) conds() []flow.Cond {
	var out []flow.Cond
	for _, d := range c.act.Conds {
		if d.Event == c.check.I {
			out = append(out, d)
		}
		out = append(out, c.lookedUp(d)...)
	}
	return out
}

// updateReason: the write changes a column that Go looked at, that it computed
// with, or by which the row was chosen.
func (c *candidate) updateReason() reason {
	if c.enters() || c.lastLeft() {
		return count
	}
	if !c.sameRow() {
		return none
	}
	if c.savesNew() {
		return saved
	}
	for _, w := range c.write.Writes {
		if v := c.act.Arg(w.Value); w.Kind == sqlread.Absolute && !touch.MatchString(w.Column) && (c.calculated(v, w.Column) || c.edited(v, w.Column) || c.handed(v, w.Column)) {
			c.named = w.Column
			return computed
		}
	}
	chosen := c.chosenBy()
	for _, d := range c.conds() {
		switch {
		case d.Test == flow.Decides && !strings.Contains(d.Path, ".err") && c.writes(c.column(d.Path)) && !touch.MatchString(c.column(d.Path)) && !c.already(d):
			c.named = c.spelled(c.column(d.Path))
			return decision
		case d.Test == flow.Decides && (c.read.Aggregate || c.sameList() && lastOne.MatchString(d.Text)) && chosen:
			return count
		case chosen && d.Test == flow.NoErr, chosen && d.Test == flow.Present, chosen && d.Test == flow.Decides:
			if !c.each() || c.sentEach() || c.takes() {
				return claimed
			}
		}
	}
	if c.carries() {
		return carried
	}
	if c.bars() {
		return barred
	}
	return none
}

// savesNew: a row that is there already is refused, and an ORM saves one where there is
// none, which writes over what another caller has made in between.
func (c *candidate) savesNew() bool {
	conds := c.conds()
	absent := slices.ContainsFunc(conds, func(d flow.Cond) bool { return d.Test == flow.Absent })
	refused := slices.ContainsFunc(conds, func(d flow.Cond) bool { return d.Refused && (d.Test == flow.Err || d.Test == flow.Absent) })
	return c.act.Note == "save" && absent && refused
}

// each reports whether the write runs for each row of the read.
func (c *candidate) each() bool {
	for _, l := range c.act.Loop {
		if slices.ContainsFunc(l.Over.From, func(p flow.Part) bool { return p.Event == c.check.I }) {
			return true
		}
	}
	return len(c.act.Loop) > len(c.check.Loop)
}

// sentEach reports whether each row of the read goes to people, or is a matter of
// money, before the write takes it from those that wait.
func (c *candidate) sentEach() bool {
	s := c.act.Sum
	for i := range s.Events {
		e := &s.Events[i]
		if e.Op == libs.Calls && (paid.MatchString(called(e)) || sent.MatchString(called(e))) && !stating.MatchString(called(e)) &&
			s.After(c.check.I, i) && s.After(i, c.act.I) && len(e.Loop) == len(c.act.Loop) && slices.ContainsFunc(e.Args, c.comes) {
			return true
		}
	}
	return false
}

// sent are names of calls that tell somebody outside.
var sent = regexp.MustCompile(`^(?i)(re)?(send|submit|dispatch|notify|publish|deliver|post|capture|execute)`)

// sameRow reports whether both statements are about one row: a column is
// compared with one value in both, or the write names what the read found.
func (c *candidate) sameRow() bool {
	related := false
	for _, k := range stmt.Keys(c.write) {
		v := c.act.Arg(k.Values[0])
		if c.comes(v) {
			related = true
			continue
		}
		for _, r := range stmt.Keys(c.read) {
			if flow.Column(r.Column) != flow.Column(k.Column) {
				continue
			}
			switch c.same(c.check.Arg(r.Values[0]), v) {
			case different:
				return false
			case equal:
				related = true
			}
		}
	}
	return related || c.write.Exact && len(c.write.Preds) == 0 && len(c.read.Preds) == 0
}

// comes reports whether a value is a copy of something that the read answered.
func (c *candidate) comes(v flow.Value) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Event == c.check.I && !isErr(p.Source.Path) })
}

func isErr(path string) bool {
	return strings.Contains(path, ".err") || strings.Contains(path, ".absent")
}

// calculated reports whether a value was computed from a column of the read; ""
// is any.
func (c *candidate) calculated(v flow.Value, column string) bool {
	return slices.ContainsFunc(v.From, func(p flow.Part) bool {
		return p.Event == c.check.I && p.Calc && !isErr(p.Source.Path) && (column == "" || flow.Column(c.column(p.Source.Path)) == flow.Column(column))
	})
}

// edited reports whether a value is what was read from a column, with a part of it
// replaced: a document, a list, a map.
func (c *candidate) edited(v flow.Value, column string) bool {
	whole := slices.ContainsFunc(v.From, func(p flow.Part) bool {
		return p.Event == c.check.I && p.Path == "" && !p.Calc && !isErr(p.Source.Path) && flow.Column(c.column(p.Source.Path)) == flow.Column(column)
	})
	return whole && slices.ContainsFunc(v.From, func(p flow.Part) bool { return p.Over && p.Path != "" && (!p.May || p.Path == "[]") })
}

// handed reports whether a function of the caller had the row between the read and
// the write, and may have changed the column.
func (c *candidate) handed(v flow.Value, column string) bool {
	same, changed := false, false
	for _, p := range v.From {
		switch {
		case p.Event == c.check.I:
			same = same || !p.Calc && !isErr(p.Source.Path) && flow.Column(c.column(p.Source.Path)) == flow.Column(column)
		case p.Event >= 0:
			e := &c.act.Sum.Events[p.Event]
			changed = changed || e.Op == libs.Calls && e.Iface == "" && e.Method == "" && strings.HasPrefix(p.Source.Path, ".@")
		}
	}
	return same && changed
}

// column is the column of the table behind a part of the answer.
func (c *candidate) column(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "."), ".")
	name, _, _ = strings.Cut(name, "[")
	if one := c.check.Acc.Outputs; name == "" && len(one) == 1 {
		return one[0].Column // a helper scanned the only column
	}
	for _, o := range c.check.Acc.Outputs {
		if o.Column != "" && flow.Column(o.Name) == flow.Column(name) {
			return o.Column
		}
	}
	return name
}

// spelled is a column as the write spells it: behind SELECT * only the field of
// the structure is known.
func (c *candidate) spelled(column string) string {
	for _, w := range c.write.Writes {
		if flow.Column(w.Column) == flow.Column(column) {
			return w.Column
		}
	}
	return column
}

// writes reports whether the write changes a column, and does not only write
// back what was read.
func (c *candidate) writes(column string) bool {
	return column != "" && slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool {
		return flow.Column(w.Column) == flow.Column(column) && !c.copied(w)
	})
}

// already reports whether a branch has found the column to be what the write
// makes it: of the row that was read nothing changes.
func (c *candidate) already(d flow.Cond) bool {
	op, value, _ := strings.Cut(d.Text, " ")
	if value == "" || op != "==" && op != "!=" || (op == "==") != d.Yes {
		return false
	}
	return slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool {
		v := c.act.Arg(w.Value)
		return w.Kind == sqlread.Absolute && flow.Column(w.Column) == flow.Column(c.column(d.Path)) && v.Root == flow.Const && v.Name == value
	})
}

// copied reports whether a column gets back what was read from it.
func (c *candidate) copied(w sqlread.Write) bool {
	if w.Kind != sqlread.Absolute || w.Value.Kind != sqlread.Param {
		return false
	}
	from := c.act.Arg(w.Value).From
	return len(from) > 0 && !slices.ContainsFunc(from, func(p flow.Part) bool { return p.Event != c.check.I || p.Calc })
}

// touch are columns that say when something was last looked at, and those that
// are compared to know a person: to set them twice does no harm.
var touch = regexp.MustCompile(`(?i)^(pass|pw|hash|encrypted)_?(word|wd)?_?(hash|digest)?$|last_?(used|seen|login|active|activity|access|accessed|visit|visited)|(updated|modified|touched|seen|viewed)_?at`)

// chosenBy reports whether the read chose its row by a column that the write
// changes: to something else than what it was chosen by, or what was read.
func (c *candidate) chosenBy() bool {
	return slices.ContainsFunc(c.read.Preds, func(p sqlread.Pred) bool {
		i := slices.IndexFunc(c.write.Writes, func(w sqlread.Write) bool { return flow.Column(w.Column) == flow.Column(p.Column) })
		if i < 0 || p.Column == "" || touch.MatchString(p.Column) {
			return false
		}
		w := c.write.Writes[i]
		v := c.act.Arg(w.Value)
		if w.Kind == sqlread.Absolute && (c.comes(v) || len(p.Values) > 0 && c.same(c.check.Arg(p.Values[0]), v) == equal) {
			return false
		}
		c.named = p.Column
		return true
	})
}
