package growth

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// pastName are names of containers that remember what is over. What one run of a
// program has seen or processed is often forgotten with the run.
var pastName = regexp.MustCompile(`(?i)^(already)?(deleted|removed|closed|finished|completed|expired|acked|delivered|notified|dropped|revoked)`)

// onceName are names of sets of what may come one time only.
var onceName = regexp.MustCompile(`(?i)^(used|spent)?_?(nonces?|jtis?|replays?)$`)

// past tells whether the container remembers, under a key that callers give, what
// is over: that never ends. The last nonce of each account is no such set.
func (j *judge) past(g growing) bool {
	if g.key == nil || !given(g.key) {
		return false
	}
	name := strings.TrimPrefix(named(g.holds), "the field ")
	return pastName.MatchString(name) || onceName.MatchString(name) && j.remembered(g) || (remembers(g) || resultName.MatchString(name)) && j.moved(g)
}

// resultName are containers of what came out of things that are over.
var resultName = regexp.MustCompile(`(?i)(results?|outcomes?|history|archived?|graveyard|tombstones?|done|ended|over|dead|past|former|gone|statuses)$`)

// moved tells whether the same function takes the key out of a container that others
// add to: what was under way is over, and that is remembered.
func (j *judge) moved(g growing) bool {
	key, found := place.Of(g.key).String(), false
	has := func(c ssa.CallInstruction) bool {
		return slices.ContainsFunc(c.Common().Args, func(a ssa.Value) bool { return place.Of(settled(plain(a))).String() == key })
	}
	cfg.Each(g.in.Parent(), func(in ssa.Instruction) {
		c, ok := in.(ssa.CallInstruction)
		if !ok || found || !has(c) {
			return
		}
		for h := range j.answers {
			found = found || h != g.holds && j.covers(c, h) && j.gets(h)
		}
	})
	return found
}

// gets tells whether entries are added to a container that is shared, under keys that
// the program did not write down.
func (j *judge) gets(h container) bool {
	for _, g := range j.grows {
		if g.holds == h && g.key != nil && shared(g) && !bounded(g.key) && !pinned(g) && j.reachable(g.in.Parent(), 0) {
			return true
		}
	}
	return false
}

// looked tells whether the container is a cache of what a caller asks for in a
// context of its own: the answer comes from far away, and each question stays.
func (j *judge) looked(g growing) bool {
	if g.key == nil || bounded(g.key) || !given(g.key) || !j.computed(g) {
		return false
	}
	v := g.val
	if ex, ok := v.(*ssa.Extract); ok {
		v = ex.Tuple
	}
	c, ok := v.(*ssa.Call)
	if !ok || !slices.ContainsFunc(c.Call.Args, func(a ssa.Value) bool { return libs.IsContext(a.Type()) }) {
		return false
	}
	return strings.Contains(strings.ToLower(named(g.holds)), "cache") || prepared(g.val.Type()) && j.spelt(g.key)
}

// prepared tells whether a value is a prepared statement: the server keeps one for
// each text.
func prepared(t types.Type) bool {
	name := libs.Path(t) + "." + libs.TypeName(t)
	return name == "database/sql.Stmt" || name == "github.com/jmoiron/sqlx.Stmt" || name == "github.com/jmoiron/sqlx.NamedStmt"
}

// spelt tells whether some caller hands over a text with values in it.
func (j *judge) spelt(key ssa.Value) bool {
	p, ok := key.(*ssa.Parameter)
	if !ok {
		return false
	}
	args, _ := j.calls.Args(p)
	return slices.ContainsFunc(args, func(a ssa.Value) bool {
		call, ok := a.(*ssa.Call)
		return ok && place.CalleeName(call.Common()) == "fmt.Sprintf"
	})
}

// given tells whether a key comes from a parameter.
func given(key ssa.Value) bool {
	for range 6 {
		if p, ok := key.(*ssa.Parameter); ok {
			return p.Parent().Signature.Recv() == nil || p != p.Parent().Params[0]
		}
		if key = place.Base(key); key == nil {
			return false
		}
	}
	return false
}

// expired tells whether a delete takes out what was just asked for under the same
// key, because its time is over. Keys that nobody asks for again stay.
func expired(del ssa.CallInstruction, h container) bool {
	key := del.Common().Args[1]
	asked := false
	cfg.Each(del.Parent(), func(in ssa.Instruction) {
		l, ok := in.(*ssa.Lookup)
		asked = asked || ok && heldBy(l.X) == h && (l.Index == key || place.Of(l.Index).String() == place.Of(key).String())
	})
	return asked && timeOver(del.Block(), 0)
}

// timeOver tells whether the way to a block goes through a comparison with the clock.
func timeOver(b *ssa.BasicBlock, depth int) bool {
	if len(b.Preds) != 1 || depth > 4 {
		return false
	}
	up := b.Preds[0]
	if br, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If); ok && clocked(br.Cond, 0) {
		return true
	}
	return timeOver(up, depth+1)
}

// clocked tells whether a condition compares a time, or asks a method whose name
// says that something has expired.
func clocked(v ssa.Value, depth int) bool {
	if depth > 3 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		return strings.HasPrefix(name, "(time.Time).") || name == "time.Since" || name == "time.Until" || strings.HasPrefix(name, "time.Now") || expiryName.MatchString(name)
	case *ssa.BinOp:
		return clocked(v.X, depth+1) || clocked(v.Y, depth+1)
	case *ssa.UnOp:
		return clocked(v.X, depth+1)
	case *ssa.Convert:
		return clocked(v.X, depth+1)
	}
	return false
}

var expiryName = regexp.MustCompile(`(?i)\.(is_?|has_?)?(expired|stale|outdated)$`)
