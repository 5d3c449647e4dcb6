package goroutineleak

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// Analyzer reports goroutines that can never end.
var Analyzer = &analysis.Analyzer{
	Name:     "goroutineleak",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{buildssa.Analyzer},
	Run:      run,
}

// judge looks at the functions of one package.
type judge struct {
	*tell.Teller
	pass  *analysis.Pass
	fns   []*ssa.Function
	calls *callers.Index
}

func run(pass *analysis.Pass) (any, error) {
	fns := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).SrcFuncs
	j := &judge{Teller: tell.New(pass), pass: pass, fns: fns, calls: callers.Of(fns)}
	for _, fn := range fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			switch in := in.(type) {
			case *ssa.MakeChan:
				j.channel(in)
			case *ssa.Go:
				j.endless(in)
			case *ssa.Call:
				j.ticker(in)
			}
		})
	}
	return nil, nil
}
