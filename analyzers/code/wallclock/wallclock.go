package wallclock

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// Analyzer reports wall-clock time used where it does not hold.
var Analyzer = &analysis.Analyzer{
	Name:      "wallclock",
	Doc:       Doc,
	Requires:  []*analysis.Analyzer{buildssa.Analyzer},
	FactTypes: []analysis.Fact{new(tells), new(signer)},
	Run:       run,
}

// judge looks at the functions of one package.
type judge struct {
	*tell.Teller
	pass  *analysis.Pass
	fns   []*ssa.Function
	calls *callers.Index
	clock *clock

	stamped stamped     // what the package gives readings to in a database
	keyed   []*ssa.Call // what writes readings to a key-value server

	serverJudged map[string]bool // columns that are compared with the clock of the database
}

func run(pass *analysis.Pass) (any, error) {
	if !imports(pass, "time") && !imports(pass, jwt) && len(pass.AllObjectFacts()) == 0 {
		return nil, nil
	}
	built := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	fns := built.SrcFuncs
	j := &judge{Teller: tell.New(pass), pass: pass, fns: fns, calls: callers.Of(fns)}
	j.clock = newClock(append(fns[:len(fns):len(fns)], built.Pkg.Func("init")), j.calls, pass.ImportObjectFact)
	j.export()
	j.stamped, j.keyed = j.stampsOf(), j.keyWrites()
	j.serverJudged = j.judgedByServer()
	signs := j.signs()
	for _, fn := range fns {
		j.elapsed(fn)
		j.claims(fn)
		j.renewals(fn)
		j.liveness(fn)
		j.storedStamps(fn)
		j.window(fn)
		j.newest(fn)
		j.newerRows(fn)
		j.newestParam(fn)
		j.sorted(fn)
		j.cursor(fn)
		j.lastLook(fn)
		j.identity(fn)
		j.filenames(fn)
		j.exact(fn)
		j.overdue(fn)
		j.fresher(fn)
		j.deadlines(fn)
		j.begins(fn)
		j.page(fn)
		j.newestKey(fn)
		j.sequence(fn)
		j.mixed(fn)
		j.bucket(fn)
		j.collected(fn)
		j.tooYoung(fn)
		if !signs {
			j.parser(fn)
		}
	}
	return nil, nil
}

// imports tells whether a package imports one whose path begins so.
func imports(pass *analysis.Pass, path string) bool {
	return slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return strings.HasPrefix(p.Path(), path) })
}
