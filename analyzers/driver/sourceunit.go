package driver

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/directive"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/startup"
	"github.com/ccheck/ccheck/analyzers/report"
)

// said is what the analyzers said about one unit, as the cache keeps it.
type said struct {
	Findings   []report.Finding
	Directives []ignored
	Reasons    []string
	Generated  []string // files that a machine wrote
	Lines      int
	Scenarios  []Scenario // of all packages together
}

// run reads, type-checks and judges a unit. What it needs of memory is free
// when it returns, but for the facts.
func (j *session) run(u *unit) {
	world := j.universe()
	if u.apart {
		world = newUniverse(j.store)
	}
	imports, err := world.enter(u)
	if err != nil {
		u.why = fmt.Sprintf("%s: %v", u.ID, err)
		return
	}
	p := &program{session: j, unit: u, world: world, fset: world.fset, own: map[factKey]analysis.Fact{}, seen: reachable(u)}
	if err := p.check(imports); err != nil {
		u.why = fmt.Sprintf("%s: %v", u.ID, err)
		return
	}
	p.analyze()
	u.said.Directives = p.directives()
	u.known.Facts, err = encodeFacts(p.own)
	if err != nil {
		u.said.Reasons = append(u.said.Reasons, fmt.Sprintf("%s: keeping what is known about it: %v", u.ID, err))
	}
}

// program is a unit while it is judged.
type program struct {
	*session
	unit  *unit
	world *universe
	fset  *token.FileSet  // of the world
	seen  map[string]bool // packages whose facts it may see
	own   map[factKey]analysis.Fact

	files   []*ast.File
	pkg     *types.Package
	info    *types.Info
	results map[*analysis.Analyzer]any
}

// check parses and type-checks. All errors count: what does not compile cannot
// be judged.
func (p *program) check(imports map[string]*types.Package) error {
	for _, name := range p.unit.CompiledGoFiles {
		f, err := parser.ParseFile(p.fset, name, nil, parser.ParseComments)
		if err != nil {
			return first(err)
		}
		p.files = append(p.files, f)
		if directive.Generated(f) {
			p.unit.said.Generated = append(p.unit.said.Generated, p.fset.Position(f.FileStart).Filename)
		}
		p.unit.said.Lines += p.fset.File(f.FileStart).LineCount()
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	cfg := types.Config{Importer: importerOf(imports), Sizes: p.unit.TypesSizes, GoVersion: p.unit.goVersion()}
	var err error
	p.pkg, err = cfg.Check(p.unit.PkgPath, p.fset, p.files, p.info)
	return first(err)
}

// first is the first of several errors, with its place.
func first(err error) error {
	var list interface{ Unwrap() []error }
	if errors.As(err, &list) && len(list.Unwrap()) > 0 {
		return list.Unwrap()[0]
	}
	if err == nil {
		return nil
	}
	return errors.New(oneLine(err.Error()))
}

type importerOf map[string]*types.Package

func (m importerOf) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("the go command gave no export data of %s: does it compile?", path)
}

// analyze runs the analyzers, one after the other: units run side by side.
func (p *program) analyze() {
	p.results = map[*analysis.Analyzer]any{}
	for _, a := range p.analyzers {
		if missing := slices.IndexFunc(a.Requires, func(r *analysis.Analyzer) bool { _, ok := p.results[r]; return !ok }); missing >= 0 {
			continue // it was said already why
		}
		result, err := p.analyzer(a)
		if err != nil {
			p.unit.said.Reasons = append(p.unit.said.Reasons, fmt.Sprintf("%s: the rule %s %v", p.unit.ID, a.Name, err))
			continue
		}
		p.results[a] = result
	}
	if pkg, ok := p.results[flow.Analyzer].(*flow.Package); ok {
		p.unit.said.Reasons = append(p.unit.said.Reasons, pkg.Skipped...)
		calls, _ := p.results[startup.Analyzer].(*startup.Package)
		var err error
		if p.unit.known.Sum, err = encode(summaries{pkg.Own, pkg.Sets, pkg.Schema, pkg.Models, calls}); err != nil {
			p.unit.said.Reasons = append(p.unit.said.Reasons, fmt.Sprintf("%s: keeping its summaries: %v", p.unit.ID, err))
		}
	}
}

// analyzer runs one analyzer. A crash is a reason to say unknown, not clean.
func (p *program) analyzer(a *analysis.Analyzer) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("crashed: %v", r)
		}
	}()
	pass := p.pass(a)
	if slices.Contains(p.Analyzers, a) {
		pass.Report = func(d analysis.Diagnostic) { p.report(a, d) }
	}
	result, err = a.Run(pass)
	if err != nil {
		return nil, fmt.Errorf("stopped: %w", err)
	}
	return result, nil
}

func (p *program) pass(a *analysis.Analyzer) *analysis.Pass {
	pass := &analysis.Pass{
		Analyzer: a, Fset: p.fset, Files: p.files, OtherFiles: p.unit.OtherFiles, IgnoredFiles: p.unit.IgnoredFiles,
		Pkg: p.pkg, TypesInfo: p.info, TypesSizes: p.unit.TypesSizes, Module: module(p.unit), ReadFile: os.ReadFile,
		ResultOf: map[*analysis.Analyzer]any{}, Report: func(analysis.Diagnostic) {},
	}
	for _, r := range a.Requires {
		pass.ResultOf[r] = p.results[r]
	}
	p.giveFacts(pass)
	return pass
}

// module is that of a unit, without the version by which rules know a dependency:
// one that is judged was named, and is looked into.
func module(u *unit) *analysis.Module {
	if u.Module == nil {
		return nil
	}
	return &analysis.Module{Path: u.Module.Path, GoVersion: u.Module.GoVersion, Main: u.Module.Main, Dir: u.Module.Dir}
}

// report keeps a diagnostic, unless a machine wrote the file.
func (p *program) report(a *analysis.Analyzer, d analysis.Diagnostic) {
	f := p.finding(a, d)
	if !slices.Contains(p.unit.said.Generated, f.Where.File) {
		p.unit.said.Findings = append(p.unit.said.Findings, f)
	}
}

// directives are the comments that silence a rule.
func (p *program) directives() []ignored {
	var all []ignored
	for _, f := range p.files {
		for _, d := range directive.In(p.fset, f) {
			all = append(all, ignored{Directive: d})
		}
	}
	return all
}

// reachable are the IDs of the units that u imports, directly or not.
func reachable(u *unit) map[string]bool {
	all := map[string]bool{}
	var visit func(u *unit)
	visit = func(u *unit) {
		for _, d := range u.deps {
			if !all[d.ID] {
				all[d.ID] = true
				visit(d)
			}
		}
	}
	visit(u)
	return all
}

// position is a place with its end, in absolute paths.
func (p *program) position(from, to token.Pos) report.Location {
	start := p.fset.Position(from)
	l := report.Location{File: start.Filename, Line: start.Line, Column: start.Column}
	if end := p.fset.Position(to); to.IsValid() && end.Filename == start.Filename {
		l.EndLine, l.EndColumn = end.Line, end.Column
	}
	return l
}
