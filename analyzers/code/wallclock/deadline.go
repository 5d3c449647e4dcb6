package wallclock

import (
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// encoder is a function that makes bytes or rows of what it is given, or fills it
// from them.
var encoder = regexp.MustCompile(`(?i)marshal|encod|decod|\.(save|create|insert|first|find|scan|get|select|updates?|bind|json)\w*$`)

// stays tells whether the record that a value was read from is of this process
// alone, so that it could hold a time.Time: an element of a map or a list that the
// package keeps, or a field that only the package knows, of a type that nobody
// encodes or gets.
func (j *judge) stays(v ssa.Value) bool {
	f, _ := fieldRead(v)
	if f == nil {
		return true
	}
	t := element(recordOf(v))
	return (!f.Exported() || listed(v)) && (t == nil || !j.travels(t))
}

// travels tells whether the package encodes or decodes values of a type.
func (j *judge) travels(t types.Type) bool {
	found := false
	for _, fn := range j.fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			c, ok := in.(ssa.CallInstruction)
			if !ok || found || !encoder.MatchString(place.CalleeName(c.Common())) {
				return
			}
			for _, a := range c.Common().Args {
				mi, ok := a.(*ssa.MakeInterface)
				found = found || ok && libs.TypeName(element(mi.X.Type())) == libs.TypeName(t)
			}
		})
	}
	return found
}

// listed tells whether a value is a part of an element of a map or a list.
func listed(v ssa.Value) bool {
	for range 8 {
		switch w := v.(type) {
		case *ssa.Lookup, *ssa.IndexAddr, *ssa.Next:
			return true
		case *ssa.Alloc:
			if v = place.Assigned(w); v == nil {
				return false
			}
		default:
			if v = place.Base(v); v == nil {
				return false
			}
		}
	}
	return false
}
