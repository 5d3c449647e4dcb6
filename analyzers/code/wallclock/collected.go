package wallclock

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

var (
	// storedAt is when a server stored an object, by its clock.
	storedAt = regexp.MustCompile(`(?i)^(last_?)?(modified|mod_?time|mtime|created|uploaded|updated|stored)(_?(at|on|time))?$`)
	// graceName is how long an object is left alone because it may still be in use.
	graceName = regexp.MustCompile(`(?i)grace|min_?age|safety|margin|in_?flight`)
	// deleter is a function that takes an object away.
	deleter = regexp.MustCompile(`\.(Delete|Remove|Purge|Drop|Unlink)\w*$`)
)

// collected finds objects of a server that are deleted once they are some minutes
// old: by this clock, from the time at which the server says that it stored them.
func (j *judge) collected(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, ok := in.(ssa.Value)
		if !ok {
			return
		}
		x := j.agedBy(v)
		f, _ := fieldRead(x)
		if x == nil || f == nil || !storedAt.MatchString(f.Name()) || !minutes(v) || !j.ofServer(x, 0) || !j.leadsToDelete(fn) {
			return
		}
		j.Found(v.Pos(), tell.Story(
			"what a server stored is deleted when it is old, by this clock and by the server's stamp: the distance of the two clocks is a part of the age",
			"  a writer stores a part at 12:00:00 by the clock of the server, and will refer to it in a minute",
			"  this clock is 15 min ahead: the part is 15 min old, above the grace of 10, and is deleted",
			"fix: take the time from the same server (write a marker, and read its stamp), or a grace that no distance of clocks reaches",
		), nil)
	})
}

// minutes tells whether a distance is compared upwards or downwards with a constant
// that is not coarse, or with what is called a grace.
func minutes(d ssa.Value) bool {
	for _, r := range *d.Referrers() {
		b, ok := r.(*ssa.BinOp)
		if !ok || !negated[b.Op] {
			continue
		}
		limit := b.X
		if limit == d {
			limit = b.Y
		}
		k, ok := limit.(*ssa.Const)
		if ok && !zero(k) && !long(k, d) || !ok && graceName.MatchString(nameOf(limit)) {
			return true
		}
	}
	return false
}

// nameOf is the name of the field or the parameter that a value was read from.
func nameOf(v ssa.Value) string {
	if f, _ := fieldRead(v); f != nil {
		return f.Name()
	}
	if p, ok := v.(*ssa.Parameter); ok {
		return p.Name()
	}
	return ""
}

// ofServer tells whether a record is of the answer to a call with a context, here or
// where all callers got it.
func (j *judge) ofServer(v ssa.Value, depth int) bool {
	if v == nil || depth > 16 {
		return false
	}
	switch w := v.(type) {
	case *ssa.Parameter:
		args := j.clock.args(w)
		return len(args) > 0 && !slices.ContainsFunc(args, func(a ssa.Value) bool { return !j.ofServer(a, depth+1) })
	case *ssa.Call:
		return slices.ContainsFunc(w.Call.Args, func(a ssa.Value) bool { return libs.IsContext(a.Type()) })
	case *ssa.Alloc:
		return j.ofServer(place.Assigned(w), depth+1)
	case *ssa.Extract:
		return j.ofServer(w.Tuple, depth+1)
	}
	return j.ofServer(place.Base(v), depth+1)
}

// leadsToDelete tells whether a function takes objects away, or only answers one that
// does.
func (j *judge) leadsToDelete(fn *ssa.Function) bool {
	return deletes(fn) || slices.ContainsFunc(j.calls.Calls(fn), func(c ssa.CallInstruction) bool { return deletes(c.Parent()) })
}

// deletes tells whether a function calls one that deletes, with a context.
func deletes(fn *ssa.Function) bool {
	found := false
	cfg.Each(fn, func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		found = found || ok && deleter.MatchString(place.CalleeName(c.Common())) &&
			slices.ContainsFunc(c.Common().Args, func(a ssa.Value) bool { return libs.IsContext(a.Type()) })
	})
	return found
}
