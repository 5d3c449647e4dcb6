package sqlcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/stmt"
)

// carries: an ORM saves all columns of a row, of which the function has set some,
// and the others as they were read. SQL that sets most of them is a form that its
// owner has filled in. Of a text that was decoded over the row nobody knows which it
// sets.
func (c *candidate) carries() bool {
	if c.act.Note != "save" && !c.spelledOut() || len(c.check.Loop) > 0 || slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool { return version.MatchString(w.Column) && !touch.MatchString(w.Column) }) {
		return false
	}
	old, set, over := 0, 0, 0
	for _, w := range c.write.Writes {
		switch v := c.act.Arg(w.Value); {
		case c.isWriteKey(w.Column) || touch.MatchString(w.Column) || w.Kind != sqlread.Absolute || c.act.Note != "save" && !c.answers(w.Column):
		case c.copied(w):
			old++
		case c.comes(v) && v.LaidOver():
			over++
		case !c.comes(v) && (v.Root == flow.Const || len(v.From) > 0), c.mayBeSet(v):
			set++
		}
	}
	return over > 1 || set > 0 && (old > set || old > 0 && c.act.Note == "save")
}

// mayBeSet reports whether a value is what was read, or what the caller gives where it
// gives something.
func (c *candidate) mayBeSet(v flow.Value) bool {
	given := func(p flow.Part) bool { return p.Event < 0 && p.Param >= 0 && p.Path == "" }
	return c.comes(v) && slices.ContainsFunc(v.From, given)
}

// spelledOut reports whether an UPDATE in SQL names all that the read answered with,
// as an ORM does.
func (c *candidate) spelledOut() bool {
	read := 0
	for _, o := range c.check.Acc.Outputs {
		if o.Column == "" || c.isWriteKey(o.Column) || touch.MatchString(o.Column) {
			continue
		}
		if !slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool { return flow.Column(w.Column) == flow.Column(o.Column) }) {
			return false
		}
		read++
	}
	return read > 1
}

// answers reports whether the read has a column among those that it names.
func (c *candidate) answers(column string) bool {
	return slices.ContainsFunc(c.check.Acc.Outputs, func(o sqlread.Output) bool { return flow.Column(o.Column) == flow.Column(column) })
}

func (c *candidate) isWriteKey(column string) bool {
	return slices.ContainsFunc(stmt.Keys(c.write), func(p sqlread.Pred) bool { return flow.Column(p.Column) == flow.Column(column) })
}

// replaced: INSERT … ON CONFLICT DO UPDATE puts a value into a row that is there
// already, and the value was computed from an earlier read of the column.
func (c *candidate) replaced() bool {
	if c.write.OnConflict != "update" || !c.wouldFind() && !c.answered() {
		return false
	}
	for _, w := range c.write.Writes {
		if w.Kind != sqlread.Absolute || touch.MatchString(w.Column) {
			continue
		}
		v := c.act.Arg(w.Value)
		if strings.EqualFold(w.Value.Table, "excluded") {
			v, _ = c.inserted(w.Value.Text)
		}
		if c.calculated(v, w.Column) {
			c.named = w.Column
			return true
		}
	}
	return false
}

// answered reports whether the new row has the keys of the row that was read, or
// those that it was sought by.
func (c *candidate) answered() bool {
	keys := stmt.Keys(c.read)
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(k sqlread.Pred) bool {
		v, ok := c.inserted(k.Column)
		sought := c.check.Arg(k.Values[0]).Sources()
		from := slices.ContainsFunc(v.Sources(), func(s flow.Source) bool { return slices.Contains(sought, s) })
		return !ok || !c.comes(v) && !from
	})
}

// enters: rows were counted against a limit, and the write moves one more row
// among them.
func (c *candidate) enters() bool {
	if !c.read.Aggregate || exists(c.check) || !slices.ContainsFunc(c.conds(), limits) {
		return false
	}
	moved := false
	for _, p := range stmt.Keys(c.read) {
		i := slices.IndexFunc(c.write.Writes, func(w sqlread.Write) bool { return flow.Column(w.Column) == flow.Column(p.Column) })
		if i < 0 {
			continue
		}
		w := c.write.Writes[i]
		if w.Kind != sqlread.Absolute || c.same(c.check.Arg(p.Values[0]), c.act.Arg(w.Value)) != equal {
			return false
		}
		moved = true
	}
	return moved
}

// lastOne are comparisons that ask whether one row of several is left.
var lastOne = regexp.MustCompile(`^(<=|>|==|!=) 1$|^(<|>=) 2$`)

// lastLeft: rows were counted, one at least has to stay, and the write takes one
// away: it deletes it, or changes what was counted by.
func (c *candidate) lastLeft() bool {
	if exists(c.check) || !c.read.Aggregate && !c.sameList() || c.write.Kind == sqlread.Update && !c.chosenBy() {
		return false
	}
	asked := slices.ContainsFunc(c.conds(), func(d flow.Cond) bool { return d.Test == flow.Decides && !isErr(d.Path) && lastOne.MatchString(d.Text) })
	return asked && !slices.ContainsFunc(stmt.Keys(c.write), func(k sqlread.Pred) bool {
		v := c.act.Arg(k.Values[0])
		return c.comes(v) || slices.ContainsFunc(stmt.Keys(c.read), func(r sqlread.Pred) bool {
			return flow.Column(r.Column) == flow.Column(k.Column) && c.same(c.check.Arg(r.Values[0]), v) == different
		})
	})
}

// summed reports whether the read answers with one more than it found, as
// SELECT max(n) + 1 does.
func (c *candidate) summed() bool {
	out := c.check.Acc.Outputs
	return len(out) == 1 && out[0].Table < 0 && next.MatchString(out[0].Text)
}

// next are expressions that go on from the last number.
var next = regexp.MustCompile(`(?i)\b(max|count)\b.*\+ *\d`)

// sameList reports whether the read lists rows of which the write names one: by
// a key that the read does not ask for.
func (c *candidate) sameList() bool {
	return slices.ContainsFunc(stmt.Keys(c.write), func(k sqlread.Pred) bool { return !c.isKey(k.Column) })
}

// limits reports whether a branch compares what was counted with a limit.
func limits(d flow.Cond) bool {
	return d.Test == flow.Decides && !isErr(d.Path) && strings.ContainsAny(d.Text, "<>") && !zero.MatchString(d.Text)
}

// searched: a loop tries names until the read finds one free. No branch is left
// after such a loop: it has no other end.
func (c *candidate) searched() bool {
	if len(c.check.Loop) <= len(c.act.Loop) {
		return false
	}
	return slices.ContainsFunc(stmt.Keys(c.read), func(k sqlread.Pred) bool {
		sought := c.check.Arg(k.Values[0])
		v, ok := c.inserted(k.Column)
		return ok && sought.Name == "phi" && len(sought.Args) > 0 && c.same(sought, v) == equal
	})
}

// taken are states of work that somebody has begun.
var taken = regexp.MustCompile(`(?i)^(running|processing|in_?progress|claimed|locked|taken|started|working|picked(_up)?|assigned|leased|reserved|sending|dispatched|executing|busy)$`)

// takes reports whether the write says that the work in the row has been begun.
func (c *candidate) takes() bool {
	return slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool {
		return flow.Column(w.Column) == flow.Column(c.named) && w.Kind == sqlread.Absolute && taken.MatchString(fixedText(c.act.Arg(w.Value)))
	})
}

// fixedText is the text of a constant, as SQL and Go have it alike; "" for what is none.
func fixedText(v flow.Value) string {
	if v.Root != flow.Const {
		return ""
	}
	switch v.Name {
	case "true":
		return "t"
	case "false":
		return "f"
	}
	return v.Name
}
