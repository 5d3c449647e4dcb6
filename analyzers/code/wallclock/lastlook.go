package wallclock

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// stampColumn is a column that says when a row was written.
	stampColumn = regexp.MustCompile(`(?i)created|inserted|updated|modified|changed|recorded|occurred|timestamp`)
	// sinceName is a parameter of a request for what has changed since then.
	sinceName = regexp.MustCompile(`(?i)^(since|if-modified-since|(updated|modified|changed|created)[_-]?(since|after|from))$`)
)

// lastLook finds a reader that asks for what is newer than its own last look: the
// stamps are of other clocks, and set before their rows can be seen.
func (j *judge) lastLook(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		if !slices.ContainsFunc(sinceWhen(in), func(v ssa.Value) bool { return j.looked(v, fn) }) {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"a reader asks for what is newer than its own last look: a row stamped by another clock, or committed after the look, is never read",
			"  a writer stamps its row 12:00:00.1, and commits at 12:00:00.5; or its clock is behind",
			"  the reader looks at 12:00:00.3 by its clock, does not see the row, and remembers 12:00:00.3",
			"  the row is below that for ever",
			"fix: go on after a number that the database gives in the order of commits; or look again at what is younger than the longest transaction and the distance of the clocks, last.Add(-overlap)",
		), nil)
	})
}

// looked tells whether a value is a field that this function sets to a reading.
func (j *judge) looked(v ssa.Value, fn *ssa.Function) bool {
	f, _ := fieldRead(behind(v))
	if f == nil || !isTime(f.Type()) {
		return false
	}
	for _, fa := range place.Addresses([]*ssa.Function{fn}, f) {
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok {
				if r := j.clock.of(st.Val); r.ok && !r.shifted {
					return true
				}
			}
		}
	}
	return false
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
