package goroutineleak

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// capture continues in a closure, under the goroutine that runs it.
func (t *trace) capture(v ssa.Value, mc *ssa.MakeClosure, c at) {
	fn := mc.Fn.(*ssa.Function)
	for i, b := range mc.Bindings {
		if b != v {
			continue
		}
		for _, c := range t.runs(mc, c) {
			if _, pointer := v.(*ssa.Alloc); pointer || isCell(v) {
				t.cell(fn.FreeVars[i], c)
			} else {
				t.value(fn.FreeVars[i], c)
			}
		}
	}
}

// isCell tells whether a captured variable is a pointer to the channel.
func isCell(v ssa.Value) bool {
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	return isChan(p.Elem())
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// runs lists the contexts in which a closure runs.
func (t *trace) runs(mc ssa.Value, c at) []at {
	var out []at
	for _, r := range *mc.Referrers() {
		call, ok := r.(ssa.CallInstruction)
		switch {
		case ok && call.Common().Value == mc:
			out = append(out, called(call, c))
		case ok && background(call.Common()):
			out = append(out, at{start: call})
		case ok && immediate(call.Common()):
			inner := called(call, c)
			inner.many = place.CalleeName(call.Common()) != "(*sync.Once).Do"
			out = append(out, inner)
		default:
			if ct, ok := r.(*ssa.ChangeType); ok { // to a named function type
				out = append(out, t.runs(ct, c)...)
			} else if _, debug := r.(*ssa.DebugRef); !debug {
				t.escapes = true
			}
		}
	}
	return out
}

func called(call ssa.CallInstruction, c at) at {
	if _, async := call.(*ssa.Go); async {
		return at{start: call}
	}
	if c.via == nil {
		c.via = call
	}
	return c
}

// background tells whether a call runs its function argument in a goroutine:
// errgroup.Group.Go, sync.WaitGroup.Go, time.AfterFunc and their like.
func background(c *ssa.CallCommon) bool {
	name := place.CalleeName(c)
	return strings.HasSuffix(name, ").Go") || strings.HasSuffix(name, ").Submit") || name == "time.AfterFunc" || name == "context.AfterFunc"
}

// immediate tells whether a call runs its function argument before it returns.
func immediate(c *ssa.CallCommon) bool {
	name := place.CalleeName(c)
	for _, p := range []string{"(*sync.Once).Do", "(*sync.Map).Range", "slices.", "sort.", "strings.", "path/filepath.Walk", "io/fs.WalkDir", "(*bufio.Scanner).", "go/ast."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
