package libs

import (
	"go/token"
	"go/types"
	"testing"
)

// A method counts by its name, parameters and results together.
func TestCallback(t *testing.T) {
	request := types.NewPointer(declaredType("net/http", "Request"))
	response := types.NewPointer(declaredType("net/http", "Response"))
	err := types.Universe.Lookup("error").Type()
	for _, c := range []struct {
		name            string
		recv            bool
		params, results []types.Type
		want            string
	}{
		{"RoundTrip", true, []types.Type{request}, []types.Type{response, err}, "HTTP"},
		{"RoundTrip", false, []types.Type{request}, []types.Type{response, err}, ""},
		{"Do", true, []types.Type{request}, []types.Type{response, err}, ""},
		{"RoundTrip", true, []types.Type{request}, []types.Type{response}, ""},
		{"Bind", true, []types.Type{types.NewInterfaceType(nil, nil), declaredType("github.com/labstack/echo/v4", "Context")}, []types.Type{err}, "echo"},
	} {
		var recv *types.Var
		if c.recv {
			recv = types.NewVar(token.NoPos, nil, "x", declaredType("example.com/p", "T"))
		}
		sig := types.NewSignatureType(recv, nil, nil, tuple(c.params), tuple(c.results), false)
		if got := Callback(c.name, sig); got != c.want {
			t.Errorf("%s%s: called by %q, want %q", c.name, sig, got, c.want)
		}
	}
}

func declaredType(path, name string) types.Type {
	pkg := types.NewPackage(path, "p")
	return types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), types.NewStruct(nil, nil), nil)
}

func tuple(ts []types.Type) *types.Tuple {
	var vars []*types.Var
	for _, t := range ts {
		vars = append(vars, types.NewVar(token.NoPos, nil, "", t))
	}
	return types.NewTuple(vars...)
}
