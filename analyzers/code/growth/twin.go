package growth

import (
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// survivor tells whether the same function keeps something else under the same key,
// which is taken out, while this stays: the counts of idle users go, and the lock that
// each of them had does not.
func (j *judge) survivor(g growing) bool {
	if g.key == nil || !given(g.key) || borrowed(g.val) || !stateful(plain(g.val).Type(), 0) {
		return false
	}
	return j.beside(g, func(o growing) bool { return j.shrinks[o.holds] && sameValue(o.key, g.key) })
}

// beside tells whether the function that has a statement adds to another container,
// under a key, in a way that is of interest.
func (j *judge) beside(g growing, of func(growing) bool) bool {
	found := false
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		o, ok := j.grows[in]
		found = found || ok && o.key != nil && o.holds != g.holds && of(o)
	})
	return found
}

func sameValue(a, b ssa.Value) bool {
	return a == b || place.Of(a).String() == place.Of(b).String()
}

// indexes tells whether the container notes under which keys the same function has
// stored in another one, which loses entries: what was noted of them stays here. Of a
// text that is put under one of few keys the last is all there is.
func (j *judge) indexes(g growing) bool {
	list := g.key == nil || extended(g)
	if !list && !identity(g.key) && !client(g.key) && !j.chosen(g.key, 0) || list && j.reset(g.holds) {
		return false
	}
	return slices.ContainsFunc(noted(g), func(v ssa.Value) bool {
		return j.beside(g, func(o growing) bool { return sameValue(o.key, v) && j.loses(o.holds) })
	})
}

// noted are the values that an entry is made of: the element that a list gets, and
// the fields of a structure.
func noted(g growing) []ssa.Value {
	v := plain(g.val)
	if g.key != nil && extended(g) {
		v = appended(v.(*ssa.Call))
	}
	return append(fields(v, 0), v)
}

// reset tells whether some statement begins a list of the container anew.
func (j *judge) reset(h container) bool {
	for _, g := range j.grows {
		if g.holds == h && g.key != nil && !extended(g) {
			return true
		}
	}
	return false
}

// loses tells whether something takes entries out of a container one by one. One that
// only refuses what is too much loses none.
func (j *judge) loses(h container) bool {
	return len(j.answers[h]) > 0 || slices.ContainsFunc(j.fns, func(fn *ssa.Function) bool { return j.live(fn) && deletes(fn, h) })
}

// comingName are containers of those who come and go.
var comingName = regexp.MustCompile(`(?i)(sess(ion)?|client|conn(ection)?|peer|socket|subscriber|subscription|player|visitor|viewer|stream|upload|transfer|worker|agent|room|job|task)s?$`)

// outlives tells whether the key was found among those who are there now, who are
// taken out when they go, or is the name that one of them has: what this container has of
// them stays.
func (j *judge) outlives(g growing) bool {
	comes := func(h container) bool {
		return h != nil && h != g.holds && comingName.MatchString(named(h)) && j.loses(h)
	}
	return g.key != nil && (comes(nameOf(g.key)) || j.foundBefore(g.in.Block(), g.key, 0, comes))
}

// ownName are fields by which an entry is known, and no other.
var ownName = regexp.MustCompile(`(?i)^(id|key|uuid)$`)

// nameOf is the container that has the entry whose own name a key is: s.id of the s that
// was looked up; nil for other keys.
func nameOf(key ssa.Value) container {
	load, ok := key.(*ssa.UnOp)
	if !ok {
		return nil
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok || !ownName.MatchString(place.FieldOf(fa.X.Type(), fa.Field).Name()) {
		return nil
	}
	if l := lookup(fa.X); l != nil {
		return heldBy(l.X)
	}
	return nil
}
