package wallclock

import (
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// beatName is a stamp that its owner sets again and again to say that it lives.
var beatName = regexp.MustCompile(`(?i)heart_?beat|last_?(seen|alive|ping|contact|renew)|alive_?at|renew(ed)?_?(at|time)?$`)

var (
	// pulseName is a stamp that can be nothing else.
	pulseName = regexp.MustCompile(`(?i)heart_?beat|last_?(alive|ping|beat|renew)|alive_?at|renewed_?at`)
	// peerName is what lives: a machine or a process.
	peerName = regexp.MustCompile(`(?i)node|worker|host|agent|peer|member|instance|server|replica|machine|runner|executor|process|device`)
)

// liveness finds peers that are taken for dead or alive by the stamp that they set
// with their own clocks: the package sends such stamps, and decodes those of others.
func (j *judge) liveness(fn *ssa.Function) {
	cfg.Each(fn, func(in ssa.Instruction) {
		v, ok := in.(ssa.Value)
		if !ok || !j.beat(v) {
			return
		}
		j.Found(v.Pos(), tell.Story(
			"whether a peer lives is told by comparing the stamp that it set with its own clock to the clock of this machine",
			"  peer A, whose clock is 10 s behind, sends its heartbeat: 12:00:00 by its clock",
			"  this node gets it at 12:00:10 by its own, and takes A for dead; one that is ahead lives on after its death",
			"fix: look whether the stamp has changed since the last look, and measure how long it has not with this machine's monotonic clock (time.Since of when the change was seen)",
		), nil)
	})
}

// beat tells whether a value is the age of a peer's stamp that is only compared, or
// a comparison of the stamp with the clock.
func (j *judge) beat(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		switch v.Op {
		case token.SUB:
			return j.clock.of(v.X).ok && j.peer(v.Y) && harmless(v)
		case token.LSS, token.GTR, token.LEQ, token.GEQ:
			return j.apart(v.X, v.Y)
		}
	case *ssa.Call:
		args := v.Call.Args
		switch place.CalleeName(v.Common()) {
		case "time.Since", "time.Until":
			return j.peer(args[0]) && harmless(v)
		case "(time.Time).Sub":
			return j.clock.of(args[0]).ok && j.peer(args[1]) && harmless(v)
		case "(time.Time).Before", "(time.Time).After":
			return j.apart(args[0], args[1])
		}
	}
	return false
}

// apart tells whether one is the clock, and the other a peer's stamp; to either a
// tolerance can have been added.
func (j *judge) apart(x, y ssa.Value) bool {
	return j.clock.of(x).ok && j.peer(unshifted(y)) || j.clock.of(y).ok && j.peer(unshifted(x))
}

func unshifted(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op == token.ADD {
			return v.X
		}
	case *ssa.Call:
		if place.CalleeName(v.Common()) == "(time.Time).Add" {
			return v.Call.Args[0]
		}
	}
	return v
}

// peer tells whether a value is the stamp in a structure that the package decodes,
// and that it gives the clock of this machine when it is its own turn.
func (j *judge) peer(v ssa.Value) bool {
	if c, ok := v.(*ssa.Call); ok && len(c.Call.Args) > 0 && strings.HasPrefix(place.CalleeName(c.Common()), "time.Unix") {
		v = c.Call.Args[0]
	}
	if c, ok := v.(*ssa.Convert); ok {
		v = c.X
	}
	f, tag := fieldRead(v)
	if name, table := column(v); j.beats(name, table, v) {
		return !renewed(v)
	}
	return f != nil && !renewed(v) && tagName.MatchString(tag) && beatName.MatchString(f.Name()) && j.clock.fields[f].ok && j.decoded(element(recordOf(v)))
}

// beats tells whether a column is a sign of life that the package sets with the clock
// of the machine that lives. When a user was last seen is only shown.
func (j *judge) beats(name, table string, v ssa.Value) bool {
	if name == "" || len(j.stamped[flow.Column(name)]) == 0 {
		return false
	}
	f, tag := fieldRead(v)
	if f != nil && nullable(v) == nil && !tagName.MatchString(tag) && !j.travels(element(recordOf(v))) {
		return false
	}
	if t := element(recordOf(v)); t != nil && table == "" {
		table = libs.TypeName(t)
	}
	return pulseName.MatchString(name) || beatName.MatchString(name) && peerName.MatchString(table)
}

// element is the type behind pointers and containers.
func element(t types.Type) types.Type {
	for range 4 {
		if t == nil {
			return nil
		}
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		default:
			return t
		}
	}
	return t
}

// decoded tells whether the package reads values of a type out of bytes.
func (j *judge) decoded(t types.Type) bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			c, ok := in.(ssa.CallInstruction)
			if !ok || t == nil || !strings.HasSuffix(place.CalleeName(c.Common()), ".Unmarshal") && !strings.HasSuffix(place.CalleeName(c.Common()), ".Decode") {
				return
			}
			for _, a := range c.Common().Args {
				if mi, ok := a.(*ssa.MakeInterface); ok {
					found = found || types.Identical(element(mi.X.Type()), t)
				}
			}
		})
	}
	return found
}
