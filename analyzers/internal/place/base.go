package place

import "golang.org/x/tools/go/ssa"

// Base is the value that v is a part, an element or another form of, nil when
// it stands for itself.
func Base(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.X
	case *ssa.FieldAddr:
		return v.X
	case *ssa.Field:
		return v.X
	case *ssa.IndexAddr:
		return v.X
	case *ssa.Index:
		return v.X
	case *ssa.Lookup:
		return v.X
	case *ssa.Extract:
		return v.Tuple
	case *ssa.TypeAssert:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.Slice:
		return v.X
	case *ssa.Next:
		return v.Iter
	case *ssa.Range:
		return v.X
	}
	return nil
}
