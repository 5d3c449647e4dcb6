package wallclock

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// below is a condition that a column lies below, or above, a value that is bound.
var below = regexp.MustCompile(`(?i)\b(\w+)\s*[<>]=?\s*(\$\d+|\?|[:@]\w)`)

// overdue finds rows whose lease or sign of life is over by the clock of this machine,
// which stands among the values of the statement, where the machines that hold or
// stamp them use their own.
func (j *judge) overdue(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok {
			return
		}
		st := statementOf(c)
		if !slices.ContainsFunc(st.args, func(v ssa.Value) bool { return j.clock.of(behind(v)).ok }) || !j.judgesOthers(st.text) {
			return
		}
		j.Found(in.Pos(), tell.Story(
			"which rows are over is told by the clock of this machine, and other machines set their times by theirs",
			"  machine A holds a row until 12:00:30 by its clock, which is 10 s behind",
			"  machine B asks at 12:00:31 by its own: over already, and takes it; A goes on for 9 s more",
			"fix: let the database set the time and compare it, now() + interval '1 minute' and < now()",
		), nil)
	})
}

// judgesOthers tells whether a condition of a statement is on the end of a lease, or
// on a sign of life that the package stamps.
func (j *judge) judgesOthers(sql string) bool {
	tables := sqlread.Read(sql).Tables
	locks := slices.ContainsFunc(tables, func(t sqlread.Table) bool { return leaseName.MatchString(t.Name) })
	accounts := slices.ContainsFunc(tables, func(t sqlread.Table) bool { return accountName.MatchString(t.Name) })
	for _, m := range below.FindAllStringSubmatch(sql, -1) {
		name := m[1]
		stamped := len(j.stamped[flow.Column(name)]) > 0
		if holdName.MatchString(name) && !accounts || locks && endsName.MatchString(name) || stamped && pulseName.MatchString(name) {
			return true
		}
	}
	return false
}
