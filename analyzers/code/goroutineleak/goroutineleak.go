package goroutineleak

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// Analyzer reports goroutines that can never end.
var Analyzer = &analysis.Analyzer{
	Name:      "goroutineleak",
	Doc:       Doc,
	Requires:  []*analysis.Analyzer{buildssa.Analyzer},
	FactTypes: []analysis.Fact{new(feeds)},
	Run:       run,
}

// judge looks at the functions of one package.
type judge struct {
	*tell.Teller
	pass  *analysis.Pass
	fns   []*ssa.Function
	calls *callers.Index
	stuck map[*ssa.Function][]stuck
	// abroad are the sends in other packages that were told.
	abroad map[flow.Pos]bool
}

// stuck is a send that can wait for ever, not told yet: its function may have no
// end besides, and one goroutine is one finding.
type stuck struct {
	at     token.Pos
	story  string
	others []tell.Place
}

func run(pass *analysis.Pass) (any, error) {
	fns := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).SrcFuncs
	j := &judge{Teller: tell.New(pass), pass: pass, fns: fns, calls: callers.Of(fns), stuck: map[*ssa.Function][]stuck{}, abroad: map[flow.Pos]bool{}}
	j.each(func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.MakeChan:
			j.channel(in)
		case *ssa.Call:
			j.ticker(in)
			j.stranger(in)
		}
	})
	j.each(func(in ssa.Instruction) {
		if g, ok := in.(*ssa.Go); ok {
			j.endless(g)
			j.watcher(g)
			j.subscribers(g)
		}
	})
	for _, fn := range fns {
		for _, s := range j.stuck[fn] {
			j.Found(s.at, s.story, nil, s.others...)
		}
	}
	return nil, nil
}

func (j *judge) each(f func(ssa.Instruction)) {
	for _, fn := range j.fns {
		cfg.Each(fn, f)
	}
}

// loop reports a loop that never ends, with the sends in it that can wait for ever.
func (j *judge) loop(fn *ssa.Function, story string, others ...tell.Place) {
	for _, s := range j.stuck[fn] {
		others = append(others, tell.Place{Pos: s.at, Text: "and this send can wait for ever"})
	}
	delete(j.stuck, fn)
	j.Found(loopPos(fn), story, nil, others...)
}
