package libs

import (
	"go/token"
	"go/types"
	"path"
	"testing"
)

// signature is a function with a parameter of each type, by pointer.
func signature(names ...string) *types.Signature {
	var params []*types.Var
	for _, name := range names {
		ext := path.Ext(name)
		pkg := types.NewPackage(name[:len(name)-len(ext)], "p")
		t := types.NewNamed(types.NewTypeName(token.NoPos, pkg, ext[1:], nil), types.NewStruct(nil, nil), nil)
		params = append(params, types.NewVar(token.NoPos, pkg, "", types.NewPointer(t)))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false)
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		params []string
		want   string
	}{
		{[]string{"github.com/gofiber/fiber/v2.Ctx"}, "fiber"},
		{[]string{"github.com/gofiber/fiber/v3.Ctx"}, "fiber"},
		{[]string{"github.com/gofiber/fiber/v2.Ctx", "example.com/shop.Cart"}, ""}, // a helper of one request
		{[]string{"context.Context", "connectrpc.com/connect.Request"}, "connect"},
		{[]string{"net/http.ResponseWriter", "net/http.Request"}, "HTTP"},
		{[]string{"example.com/fiber.Ctx"}, ""},
		{nil, ""},
	} {
		if got := Handler(signature(c.params...)); got != c.want {
			t.Errorf("%v: %q, want %q", c.params, got, c.want)
		}
	}
}
