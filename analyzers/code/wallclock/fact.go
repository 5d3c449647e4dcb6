package wallclock

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
)

// tells is the fact that a function answers with a reading of the clock.
type tells struct{ Wall, Number bool }

// AFact marks the type as a fact.
func (*tells) AFact() {}

func (*tells) String() string { return "tells the time" }

// export tells importers which exported functions answer with a reading.
func (j *judge) export() {
	for _, fn := range j.fns {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() || fn.Signature.Results().Len() != 1 || !timely(fn.Signature.Results().At(0).Type()) {
			continue
		}
		if r := j.clock.all(results(fn)); r.ok && !r.shifted {
			j.pass.ExportObjectFact(obj, &tells{r.wall, r.number})
		}
	}
}

// imported is what a function of another package answers with.
func (c *clock) imported(call *ssa.Call) reading {
	fn := call.Call.StaticCallee()
	if fn == nil || c.fact == nil {
		return reading{}
	}
	obj, ok := callers.Origin(fn).Object().(*types.Func)
	var t tells
	if !ok || !c.fact(obj, &t) {
		return reading{}
	}
	return reading{ok: true, wall: t.Wall, number: t.Number}
}
