package sharedglobal

import (
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// decoders are functions that fill what their last argument points at, and Scan,
// which does so with all of them.
var decoders = regexp.MustCompile(`\.(Decode|Unmarshal|UnmarshalRead|(Should|Must)?Bind(JSON|XML|YAML|TOML|Query|Uri|Header|Body|With)?|(Body|Query|Params|Header|Cookie)Parser|Scan|StructScan)$`)

// filled is the pointer to which a decoder writes, nil when a call is none.
func filled(c *ssa.CallCommon) ssa.Value {
	if !decoders.MatchString(place.CalleeName(c)) {
		return nil
	}
	for _, a := range c.Args {
		for _, v := range append(place.Variadic(a), a) {
			if mi, ok := v.(*ssa.MakeInterface); ok && address(mi.X) {
				return mi.X
			}
		}
	}
	return nil
}

// address tells whether a value is the address of a variable, a field or an element:
// what a pointer that was kept leads to may have been made for this call.
func address(v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
		return false
	}
	switch v.(type) {
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.IndexAddr:
		return true
	}
	return false
}
