package growth

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// consumer judges a statement in a loop that receives messages and remembers
// each by its identity: the loop lives as long as the process, and so does the set.
func (j *judge) consumer(in ssa.Instruction) {
	g, ok := j.grows[in]
	if !ok || g.key == nil || j.shrinks[g.holds] || bounded(g.key) || !remembers(g) || !longLived(g) {
		return
	}
	if identity(g.key) && j.received(g.key, 0) {
		j.told(g, "messages that a loop receives")
	}
}

// remembers tells whether an entry only says that its key was there.
func remembers(g growing) bool {
	switch t := g.val.Type().Underlying().(type) {
	case *types.Struct:
		return t.NumFields() == 0 || timed(g)
	case *types.Basic:
		return t.Kind() == types.Bool
	}
	return false
}

// longLived tells whether the container belongs to more than one call: a global,
// or a field of something that this function did not make. So does a map of a call that
// reads from a broker for ever.
func longLived(g growing) bool {
	switch h := g.holds.(type) {
	case *ssa.Global:
		return true
	case *ssa.MakeMap:
		return !cfg.Within(h.Block()) && h.Parent() == g.in.Parent() && consumes(g.in.Block())
	}
	fa := fieldAt(g.base)
	if fa == nil {
		return false
	}
	_, made := fa.X.(*ssa.Alloc)
	return !made
}

// identityName is what tells one message from all others; a topic or a type does not.
var identityName = regexp.MustCompile(`(?i)(id|key|hash|uuid|nonce|payload|token|sequence|seq|offset|digest|checksum|sum|string)$`)

// identity tells whether the name of the key says that every message has another.
func identity(key ssa.Value) bool {
	for range 8 {
		switch v := key.(type) {
		case *ssa.FieldAddr:
			return identityName.MatchString(place.FieldOf(v.X.Type(), v.Field).Name())
		case *ssa.Field:
			return identityName.MatchString(place.FieldOf(v.X.Type(), v.Field).Name())
		case *ssa.Parameter:
			return identityName.MatchString(v.Name())
		case *ssa.Call:
			return identityName.MatchString(place.CalleeName(v.Common()))
		case *ssa.Convert:
			key = v.X
		default:
			if key = place.Base(key); key == nil {
				return false
			}
		}
	}
	return false
}

// receives are the methods that wait for the next message of a broker.
var receives = regexp.MustCompile(`\)\.(Receive|ReceiveMessage|Recv|ReadMessage|FetchMessage|NextMsg|NextMsgWithContext|Consume|WaitForNotification)$`)

// received tells whether a value is a message, or a part of one, that a loop
// around it receives, here or in the callers within the package.
func (j *judge) received(v ssa.Value, depth int) bool {
	for range 12 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op == token.ARROW {
				return open(x.X) && cfg.Within(x.Block())
			}
		case *ssa.Select:
			return cfg.Within(x.Block())
		case *ssa.Call:
			if receives.MatchString(place.CalleeName(x.Common())) {
				return cfg.Within(x.Block())
			}
			if len(x.Call.Args) == 0 { // m.ID() of an interface
				v = x.Call.Value
			} else {
				v = x.Call.Args[0]
			}
			continue
		case *ssa.Convert:
			v = x.X
			continue
		case *ssa.Alloc:
			if v = place.Assigned(x); v == nil {
				return false
			}
			continue
		case *ssa.Parameter:
			return depth < 3 && j.receivedByCallers(x, depth)
		}
		if v = place.Base(v); v == nil {
			return false
		}
	}
	return false
}

// open tells whether a channel comes from elsewhere: what this function makes
// and fills itself has an end.
func open(ch ssa.Value) bool {
	switch x := ch.(type) {
	case *ssa.MakeChan:
		return false
	case *ssa.UnOp:
		a, ok := x.X.(*ssa.Alloc)
		return !ok || place.Assigned(a) != nil && open(place.Assigned(a))
	}
	return true
}

// consumes tells whether the loop around a block receives from a broker. What comes
// over one connection ends with it.
func consumes(b *ssa.BasicBlock) bool {
	for in := range cfg.Loop(b) {
		if slices.ContainsFunc(in.Instrs, fromBroker) {
			return true
		}
	}
	return false
}

func fromBroker(in ssa.Instruction) bool {
	c, ok := in.(*ssa.Call)
	if !ok || !receives.MatchString(place.CalleeName(c.Common())) {
		return false
	}
	of := c.Call.Value
	if !c.Call.IsInvoke() {
		of = c.Call.Args[0]
	}
	return !strings.HasSuffix(place.CalleeName(c.Common()), ".Recv") && !visitorName.MatchString(libs.TypeName(of.Type()))
}

func (j *judge) receivedByCallers(p *ssa.Parameter, depth int) bool {
	fn := p.Parent()
	for i, q := range fn.Params {
		if q != p {
			continue
		}
		for _, c := range j.calls.Calls(fn) {
			if args := c.Common().Args; i < len(args) && j.received(args[i], depth+1) {
				return true
			}
		}
	}
	return false
}
