package sqlcheckact

import (
	"regexp"
	"slices"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// once are names of things that can be used once.
var once = regexp.MustCompile(`(?i)token|code|invit|otp|nonce|coupon|voucher|ticket|reset|verif|magic|challenge|redeem|recovery|one_?time`)

// expiry are names of times after which a row is dead: to delete such a row
// twice does no harm.
var expiry = regexp.MustCompile(`(?i)expir|valid_?until|ttl|deadline`)

// deleteReason: what is used once is read, used, and deleted by a statement
// whose row count nobody looks at.
func (c *candidate) deleteReason() reason {
	if !once.MatchString(c.write.Name) || !c.sameRow() || !c.used() {
		return none
	}
	for _, d := range c.conds() {
		if d.Test == flow.Decides && d.Yes && expiry.MatchString(d.Path) {
			return none
		}
	}
	return consumed
}

// used reports whether what was read goes on: to the caller, or into another
// statement.
func (c *candidate) used() bool {
	for _, r := range c.act.Sum.Results {
		if slices.ContainsFunc(r, func(p flow.Part) bool { return p.Event == c.check.I && !p.Calc && !isErr(p.Source.Path) }) {
			return true
		}
	}
	for _, o := range c.all {
		if o.I == c.act.I || o.I == c.check.I || !c.act.Sum.After(c.check.I, o.I) {
			continue
		}
		if o.Op == "sql.exec" && slices.ContainsFunc(o.Args, c.comes) {
			return true
		}
	}
	return false
}
