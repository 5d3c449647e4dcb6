package growth

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// call notes evictions, and comparisons of the length.
func (j *judge) call(c ssa.CallInstruction) {
	com := c.Common()
	name := place.CalleeName(com)
	if len(com.Args) == 0 || !j.live(c.Parent()) {
		return
	}
	switch {
	case name == "builtin.delete" && !cfg.Within(c.Block()):
		j.take(c, heldBy(com.Args[0]))
	case name == "builtin.delete", name == "builtin.clear", strings.HasPrefix(name, "maps.DeleteFunc"), strings.HasPrefix(name, "golang.org/x/exp/maps.Clear"), strings.HasPrefix(name, "golang.org/x/exp/maps.DeleteFunc"):
		j.noteIn(c.Parent(), heldBy(com.Args[0]))
	case strings.HasPrefix(name, "(*sync.Map)."):
		switch name[len("(*sync.Map)."):] {
		case "Delete", "LoadAndDelete", "CompareAndDelete":
			if h := heldAt(com.Args[0]); cfg.Within(c.Block()) || j.ranges(c.Parent()) {
				j.noteIn(c.Parent(), h)
			} else {
				j.take(c, h)
			}
		case "Clear":
			j.noteIn(c.Parent(), heldAt(com.Args[0]))
		}
	case name == "(*container/list.List).Remove", name == "(*container/list.List).Init":
		j.note(listAt(com.Args[0]))
	case name == "(*container/list.List).Len":
		if call, ok := c.(*ssa.Call); ok && limits(call) {
			j.note(listAt(com.Args[0]))
		}
	case name == "builtin.len":
		if call, ok := c.(*ssa.Call); ok && limits(call) {
			j.note(heldBy(com.Args[0]))
		}
	default:
		j.drained(c)
		j.handed(c)
	}
}

func (j *judge) note(h container) {
	if h != nil {
		j.shrinks[h], j.bounds[h] = true, true
	}
}

// noteIn is note for what a function empties; at the end of the owner's life it
// bounds what belongs to a connection, and nothing that grows before.
func (j *judge) noteIn(fn *ssa.Function, h container) {
	if h != nil && last(fn) {
		j.bounds[h] = true
		return
	}
	j.note(h)
}

// take notes that a call takes out the entry of one key.
func (j *judge) take(c ssa.CallInstruction, h container) {
	switch {
	case h == nil:
	case expired(c, h):
		j.lazy[h] = true
	default:
		j.shrinks[h] = true
		j.answers[h] = append(j.answers[h], c)
	}
}

// ranges tells whether a function is run for every entry of a sync.Map.
func (j *judge) ranges(fn *ssa.Function) bool {
	return slices.ContainsFunc(j.calls.Values(fn), func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		return ok && place.CalleeName(c.Common()) == "(*sync.Map).Range"
	})
}

// handed looks for evictions in a function of the package that gets the
// container as an argument; what other packages do with it is taken for one.
func (j *judge) handed(c ssa.CallInstruction) {
	fn := callers.Callee(c.Common())
	for i, a := range c.Common().Args {
		h := heldBy(a)
		if h == nil || !isContainer(a.Type()) {
			continue
		}
		if fn == nil || fn.Blocks == nil {
			if removes(place.CalleeName(c.Common())) {
				j.note(h)
			}
			continue
		}
		if i < len(fn.Params) && takesOut(fn.Params[i]) {
			j.note(h)
		}
	}
}

// removes tells whether a function that is not of the package may take entries
// out: only those that are known to read are trusted not to.
func removes(name string) bool {
	for _, p := range []string{"builtin.", "maps.Clone", "maps.Keys", "maps.Values", "maps.All", "slices.Contains", "slices.Index", "slices.Clone", "slices.Sort", "sort.", "fmt.", "encoding/json.", "log", "strings.Join"} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return true
}

func takesOut(p *ssa.Parameter) bool {
	for _, r := range *p.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if ok && (place.CalleeName(c.Common()) == "builtin.delete" || place.CalleeName(c.Common()) == "builtin.clear") {
			return true
		}
	}
	return false
}
