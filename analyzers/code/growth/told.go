package growth

import (
	"go/token"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// decides tells whether a comparison has a say in what the program does. One that
// only writes to the log how many there are keeps nothing from growing.
func decides(v ssa.Value, depth int) bool {
	if depth > 4 {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.If:
			if does(r.Block().Succs[0], r.Block()) || does(r.Block().Succs[1], r.Block()) {
				return true
			}
		case *ssa.BinOp:
			if decides(r, depth+1) {
				return true
			}
		case *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

// does tells whether a side of a branch does anything but tell.
func does(side, up *ssa.BasicBlock) bool {
	if len(side.Preds) != 1 {
		return false
	}
	for _, b := range up.Parent().Blocks {
		if !side.Dominates(b) {
			continue
		}
		for _, in := range b.Instrs {
			if acts(in) {
				return true
			}
		}
	}
	return false
}

// telling are the functions that write for somebody to read.
var telling = regexp.MustCompile(`^\(?\*?(log|fmt|log/slog|github\.com/(sirupsen/logrus|rs/zerolog)|go\.uber\.org/zap)(/[\w/]+)?\.|^builtin\.|^(strconv|time)\.`)

// acts tells whether an instruction does something that others see.
func acts(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Return, *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.Panic, *ssa.If:
		return true
	case *ssa.Store:
		_, element := in.Addr.(*ssa.IndexAddr) // of the arguments
		return !element
	case *ssa.Call:
		name := place.CalleeName(in.Common())
		return name == "builtin.delete" || name == "builtin.clear" || name == "builtin.append" || !telling.MatchString(name)
	}
	return false
}

// limits tells whether a length is compared to anything but zero.
func limits(c *ssa.Call) bool {
	for _, r := range *c.Referrers() {
		b, ok := r.(*ssa.BinOp)
		if !ok || !decides(b, 0) {
			continue
		}
		switch b.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ, token.EQL, token.NEQ, token.REM:
			for _, side := range []ssa.Value{b.X, b.Y} {
				if k, isConst := side.(*ssa.Const); side != c && !(isConst && k.Value != nil && k.Int64() == 0) && !isIndex(side) {
					return true
				}
			}
		}
	}
	return false
}

// isIndex tells whether a value counts the iterations of a loop over the slice.
func isIndex(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Phi:
		return true
	case *ssa.BinOp:
		_, one := v.Y.(*ssa.Const)
		return one && isIndex(v.X)
	}
	return false
}
