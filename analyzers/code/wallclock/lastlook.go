package wallclock

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// stampColumn is a column that says when a row was written.
	stampColumn = regexp.MustCompile(`(?i)created|inserted|updated|modified|changed|recorded|occurred|timestamp`)
	// sinceName is a parameter of a request for what has changed since then.
	sinceName = regexp.MustCompile(`(?i)^(since|if-modified-since|(updated|modified|changed|created)[_-]?(since|after|from))$`)
	// sinceParam is the same as the name of a parameter or of a field.
	sinceParam = regexp.MustCompile(`(?i)^(since|after|newer_?than|(updated|modified|changed|created)_?(since|after|from))$`)
)

// lastLook finds a reader that asks for what is newer than its own last look: the
// stamps are of other clocks, and set before their rows can be seen.
func (j *judge) lastLook(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		var kept []tell.Place
		for _, v := range sinceWhen(in) {
			kept = append(kept, j.looked(v, fn)...)
		}
		if len(kept) == 0 {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"a reader asks for what is newer than its own last look: a row stamped by another clock, or committed after the look, is never read",
			"  a writer stamps its row 12:00:00.1, and commits at 12:00:00.5; or its clock is behind",
			"  the reader looks at 12:00:00.3 by its clock, does not see the row, and remembers 12:00:00.3",
			"  the row is below that for ever",
			"fix: go on after a number that the database gives in the order of commits; or look again at what is younger than the longest transaction and the distance of the clocks, last.Add(-overlap)",
		), nil, kept...)
	})
}

// looked lists where this function sets the field that a value was read from to a
// reading.
func (j *judge) looked(v ssa.Value, fn *ssa.Function) (kept []tell.Place) {
	f, _ := fieldRead(behind(v))
	if f == nil || !isTime(f.Type()) {
		return nil
	}
	for _, fa := range place.Addresses([]*ssa.Function{fn}, f) {
		for _, r := range *fa.Referrers() {
			st, ok := r.(*ssa.Store)
			if !ok {
				continue
			}
			if r := j.clock.of(st.Val); r.ok && !r.shifted {
				kept = append(kept, tell.Place{Pos: st.Pos(), Text: "the time of the look is kept here"})
			}
		}
	}
	return kept
}

// sinceWhen returns what an instruction gives to a request for what is newer: the
// values that a statement compares a stamp with, or a parameter of that name.
func sinceWhen(in ssa.Instruction) (vals []ssa.Value) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		if name, ok := text(in.Key); ok && sinceName.MatchString(name) {
			vals = append(listOf(in.Value), in.Value)
		}
	case *ssa.Call:
		args := flat(in)
		for i := range max(0, len(args)-1) {
			if name, ok := text(args[i]); ok && sinceName.MatchString(name) {
				vals = append(vals, args[i+1])
			}
		}
		vals = append(vals, asksSince(in)...)
		st := statementOf(in)
		for _, t := range sqlread.Read(st.text).Tables {
			for _, p := range t.Preds {
				if (p.Op == ">" || p.Op == ">=") && stampColumn.MatchString(p.Column) && p.Values[0].Kind == sqlread.Param && p.Values[0].N <= len(st.args) && p.Values[0].N > 0 {
					vals = append(vals, st.args[p.Values[0].N-1])
				}
			}
		}
	}
	return vals
}

// asksSince returns what a call of a server hands over as the time since when it
// wants to know: by the name of the parameter, or of the field of an option.
func asksSince(c *ssa.Call) (vals []ssa.Value) {
	res := c.Call.Signature().Results()
	if res.Len() < 2 || !slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool { return libs.IsContext(a.Type()) }) {
		return nil
	}
	for _, a := range c.Call.Args {
		if sinceParam.MatchString(parameterOf(c, a)) {
			vals = append(vals, a)
		}
		from := a
		if l := loaded(a); l != nil {
			from = l
		}
		if opts, ok := from.(*ssa.Alloc); ok {
			vals = append(vals, sinceFields(opts)...)
		}
	}
	return vals
}

// sinceFields are what fields of that name are given in a structure.
func sinceFields(opts *ssa.Alloc) (vals []ssa.Value) {
	for _, r := range *opts.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || !sinceParam.MatchString(place.FieldOf(fa.X.Type(), fa.Field).Name()) {
			continue
		}
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
				vals = append(vals, st.Val)
			}
		}
	}
	return vals
}

// listOf are the elements of a list that is written out.
func listOf(v ssa.Value) (vals []ssa.Value) {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	for _, r := range *s.X.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *ia.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ia {
				vals = append(vals, st.Val)
			}
		}
	}
	return vals
}
