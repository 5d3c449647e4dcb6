package wallclock

import (
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// fieldRead is the field that a value was read from, with its tag.
func fieldRead(v ssa.Value) (*types.Var, string) {
	switch v := v.(type) {
	case *ssa.Lookup:
		return fieldRead(v.X)
	case *ssa.Extract:
		if l, ok := v.Tuple.(*ssa.Lookup); ok && v.Index == 0 {
			return fieldRead(l)
		}
	case *ssa.UnOp:
		if f, tag := addressed(v); f != nil {
			return f, tag
		}
		if p, ok := v.X.(*ssa.UnOp); ok && v.Op == token.MUL { // *t.StartedAt
			return fieldRead(p)
		}
	case *ssa.Field:
		return place.FieldOf(v.X.Type(), v.Field).Origin(), tagOf(v.X.Type(), v.Field)
	case *ssa.Convert:
		return fieldRead(v.X)
	case *ssa.Call:
		return addressed(v)
	}
	return nil, ""
}

// addressed is the field that a value was loaded from, with its tag.
func addressed(v ssa.Value) (*types.Var, string) {
	fa, ok := loaded(v).(*ssa.FieldAddr)
	if !ok {
		return nil, ""
	}
	return place.FieldOf(fa.X.Type(), fa.Field).Origin(), tagOf(fa.X.Type(), fa.Field)
}

func tagOf(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	return string(reflect.StructTag(st.Tag(i)))
}
