package memcheckact

import (
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// ofRow tells whether the container is part of a row that the function was given: an
// object of a mapper, which each caller loads or makes for itself. Its lock is that
// of the type that it is made of.
func ofRow(pass *analysis.Pass, s *flow.Summary, p pair.Pair) bool {
	on := s.Events[p.Act].On
	fn := function(pass, pass.ResultOf[flow.Analyzer].(*flow.Package), s)
	return fn != nil && on.Root == flow.Param && on.Path != "" && on.N < len(fn.Params) && row(fn.Params[on.N].Type())
}

// row tells whether a type says which table its values are rows of (gorm's Tabler,
// xorm's TableName).
func row(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "TableName")
	f, ok := m.(*types.Func)
	if !ok {
		return false
	}
	sig := f.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.String])
}
