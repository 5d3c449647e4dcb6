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

// once are names of things that can be used once.
var once = regexp.MustCompile(`(?i)token|code|invit|otp|nonce|coupon|voucher|ticket|reset|verif|magic|challenge|redeem|recovery|one_?time`)

// expiry are names of times after which a row is dead: to delete such a row
// twice does no harm.
var expiry = regexp.MustCompile(`(?i)expir|valid_?until|ttl|deadline`)

// deleteReason: what is used once is read, used, and deleted by a statement
// whose row count nobody looks at; or one row is to stay.
func (c *candidate) deleteReason() reason {
	if c.lastLeft() {
		return count
	}
	if !once.MatchString(c.write.Name) && !c.soughtOnce() && !c.exchanged() || !c.sameRow() || !c.used() {
		return none
	}
	for _, d := range c.conds() {
		if d.Test == flow.Decides && d.Yes && expiry.MatchString(d.Path) {
			return none
		}
	}
	return consumed
}

// secret are names of columns that hold what its owner can show once.
var secret = regexp.MustCompile(`(?i)(^|_)(token|otp|nonce|code|ticket|challenge|secret|voucher|coupon)(_(hash|digest))?$`)

// soughtOnce reports whether the row was sought by such a column, and a new row
// is made of what was found.
func (c *candidate) soughtOnce() bool {
	sought := slices.ContainsFunc(stmt.Keys(c.read), func(p sqlread.Pred) bool { return secret.MatchString(p.Column) })
	return sought && c.passedOn(func(o stmt.Stmt) bool {
		return slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool { return t.Kind == sqlread.Insert && !sqlread.Same(&t, c.write) })
	})
}

// exchanged reports whether the row is given in for a new one of the same table, with
// what was read in it, under another key: two that give in one row get two for it.
func (c *candidate) exchanged() bool {
	return c.passedOn(func(o stmt.Stmt) bool {
		return c.act.Sum.After(c.act.I, o.I) && slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool {
			return t.Kind == sqlread.Insert && t.OnConflict == "" && sqlread.Same(&t, c.write) && c.rekeyed(o, &t)
		})
	})
}

// rekeyed reports whether a new row has a value of its own in each column by which
// the old one was sought.
func (c *candidate) rekeyed(o stmt.Stmt, t *sqlread.Table) bool {
	n := &candidate{all: c.all, check: c.check, act: o, read: c.read, write: t}
	keys := 0
	for _, k := range stmt.Keys(c.read) {
		if k.Values[0].Kind != sqlread.Param {
			continue
		}
		sought := c.check.Arg(k.Values[0])
		v, ok := n.inserted(k.Column)
		if !ok || t.Into == nil || n.same(sought, v) == equal || n.comes(v) {
			return false
		}
		keys++
	}
	return keys > 0
}

// used reports whether what was read goes on: to the caller, or into another
// statement that does more than delete, which can be done twice.
func (c *candidate) used() bool {
	return c.returned() || c.passedOn(func(o stmt.Stmt) bool {
		deletes := func(t sqlread.Table) bool { return t.Kind == sqlread.Delete || t.Kind == sqlread.Select }
		return o.Op == libs.Exec && (len(o.Acc.Tables) == 0 || slices.ContainsFunc(o.Acc.Tables, func(t sqlread.Table) bool { return !deletes(t) }))
	})
}

// returned reports whether what was read goes on to the caller; the Error of gorm's
// answer is no part of it.
func (c *candidate) returned() bool {
	read := func(p flow.Part) bool {
		return p.Event == c.check.I && !p.Calc && !isErr(p.Source.Path) && !strings.HasSuffix(p.Source.Path, ".Error")
	}
	return slices.ContainsFunc(c.act.Sum.Results, func(r []flow.Part) bool { return slices.ContainsFunc(r, read) })
}

// passedOn reports whether another statement, for which yes says so, gets what
// was read.
func (c *candidate) passedOn(yes func(stmt.Stmt) bool) bool {
	return slices.ContainsFunc(c.all, func(o stmt.Stmt) bool {
		return o.I != c.act.I && o.I != c.check.I && c.act.Sum.After(c.check.I, o.I) && yes(o) && slices.ContainsFunc(o.Args, c.comes)
	})
}
