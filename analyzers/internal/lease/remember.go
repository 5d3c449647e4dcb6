package lease

import (
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// flagName: what a field is called that says that the lock is held, untilName what
// one is that says how long.
var (
	flagName  = regexp.MustCompile(`(?i)leader|master|owner|held|holds|holding|lock|elected|lease`)
	untilName = regexp.MustCompile(`(?i)expir|until|deadline|valid`)
)

// remembered notes the fields that are set once the lock is taken.
func (c *Claims) remembered(s *flow.Summary, l int) {
	for k := range s.Events {
		e := &s.Events[k]
		if e.Op == libs.Store && s.After(l, k) && e.On.Class != "" && flagName.MatchString(short(e.On.Class)) {
			c.flags[e.On.Class] = true
		}
	}
}

// Remembers tells whether a branch asks the memory of the process, and nobody
// else, whether the lock is still held: a field that was set when it was taken, or
// the end of a lease that the function was given.
func (c *Claims) Remembers(s *flow.Summary, cond flow.Cond) bool {
	if cond.Test != flow.Decides || !c.any {
		return false
	}
	if cond.Event >= 0 {
		e := &s.Events[cond.Event]
		return e.Op == libs.Load && (c.flags[e.On.Class] || until(e.On.Class))
	}
	if cond.Param < 0 || cond.Param >= len(s.Params) || cond.Path == "" {
		return false
	}
	typ := strings.TrimPrefix(s.Params[cond.Param], "*")
	return c.flags[typ+cond.Path] || until(typ+cond.Path)
}

// until tells whether a field is the end of a lease: "path.Lease.Expires".
func until(class string) bool {
	field := strings.LastIndexByte(class, '.')
	if field < 0 || !untilName.MatchString(class[field:]) {
		return false
	}
	return lockName.MatchString(short(class[:field]))
}

// Asked is the event that read the key of a lock, where event w happens because of
// what it answered; -1 for none.
func (c *Claims) Asked(s *flow.Summary, w int) int {
	for _, cond := range s.Events[w].Conds {
		if cond.Event < 0 || cond.Test != flow.Decides || strings.HasSuffix(cond.Path, ".err") {
			continue
		}
		r := &s.Events[cond.Event]
		if r.Op == libs.KVRead && r.Key.String() != s.Events[w].Key.String() && c.Names(s, cond.Event) && lockName.MatchString(r.Key.Desc.String()+r.Key.Class+r.In) {
			return cond.Event
		}
	}
	return -1
}
