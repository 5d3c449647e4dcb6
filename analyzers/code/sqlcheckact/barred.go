package sqlcheckact

import (
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/sqlread"
)

// bars reports whether the caller would have been turned away for the state that the
// row was in, and the write changes other columns of the row whatever its state is by
// then: a space that was banned in between is renamed, an invoice that was closed gets
// another amount.
func (c *candidate) bars() bool {
	if len(c.check.Loop) > 0 || !slices.ContainsFunc(c.write.Writes, func(w sqlread.Write) bool { return !touch.MatchString(w.Column) }) {
		return false
	}
	for _, d := range c.conds() {
		column := c.column(d.Path)
		if d.Test == flow.Decides && d.Itself && d.Refused && !isErr(d.Path) && barring.MatchString(column) && !c.writes(column) {
			c.named = column
			return true
		}
	}
	return false
}

// barring are columns that say what may be done with a row, and that others change
// while it lives. Who owns it, and what was confirmed once, stays so.
var barring = regexp.MustCompile(`(?i)^(\w+_)?(status|state|phase|stage)$|^(is_?)?(banned|blocked|suspended|frozen|locked|closed|archived|cancell?ed|finali[sz]ed|sealed|settled|submitted|published|paid|shipped)(_?at)?$`)
