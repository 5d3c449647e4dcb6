package libs

import (
	"go/types"
	"strings"
)

// ByShape returns a row for a method of an interface that looks like one of a
// library: a program often declares the part of a client that it uses. It is nil
// for others.
func ByShape(f *types.Func) *Row {
	if f.Signature().Recv() == nil {
		return nil
	}
	if r := statement(f); r != nil {
		return r
	}
	return filling(f)
}

// statement is a method with a text, values and an answer: (…, string, …any).
func statement(f *types.Func) *Row {
	sig := f.Signature()
	if !sig.Variadic() || sig.Results().Len() == 0 || sig.Params().Len() < 2 {
		return nil
	}
	t := sig.Results().At(0).Type()
	op, ok := answers[Path(t)+"."+TypeName(t)]
	n := sig.Params().Len() - 2
	if !ok || !isText(sig.Params().At(n).Type()) {
		return nil
	}
	r := stmt("", TypeName(sig.Recv().Type()), f.Name(), op, n)
	return &r
}

// filling is a method that is called as one of sqlx that puts the answer into
// its argument, and has its parameters: (…, any, string, …any) error.
func filling(f *types.Func) *Row {
	name, sig := f.Name(), f.Signature()
	n := sig.Params().Len() - 2
	if !sig.Variadic() || n < 1 || sig.Results().Len() != 1 || !isText(sig.Params().At(n).Type()) || !isAny(sig.Params().At(n-1).Type()) {
		return nil
	}
	if name = strings.TrimSuffix(name, "Context"); name != "Get" && name != "Select" {
		return nil
	}
	r := into("", TypeName(sig.Recv().Type()), f.Name(), n-1, n)
	return &r
}

func isText(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.String
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}
