package sharedglobal

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/served"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// Analyzer reports shared state that is changed without synchronisation.
var Analyzer = &analysis.Analyzer{
	Name:     "sharedglobal",
	Doc:      Doc,
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      run,
}

// judge looks at the functions of one package.
type judge struct {
	pass  *analysis.Pass
	pkg   *flow.Package
	calls *callers.Index
	sums  map[flow.Pos]*flow.Summary
	said  map[string]bool
	reads map[*types.Var]token.Pos // fields that handlers read without a lock
}

func run(pass *analysis.Pass) (any, error) {
	pkg := pass.ResultOf[flow.Analyzer].(*flow.Package)
	j := &judge{pass: pass, pkg: pkg, calls: callers.Of(pkg.Funcs), sums: map[flow.Pos]*flow.Summary{}, said: map[string]bool{}, reads: map[*types.Var]token.Pos{}}
	for _, s := range pkg.Own {
		j.sums[s.Pos] = s
	}
	for _, h := range served.Handlers(pkg.Funcs, j.calls) {
		j.handler(h)
	}
	served.Walk(pkg.Funcs, j.calls, j.instruction)
	served.Walk(pkg.Funcs, j.calls, j.reading)
	for _, fn := range pkg.Funcs {
		j.goroutines(fn)
	}
	return nil, nil
}

// summary finds the summary of a function.
func (j *judge) summary(fn *ssa.Function) *flow.Summary {
	return j.sums[j.pos(fn.Pos())]
}

func (j *judge) pos(at token.Pos) flow.Pos {
	p := j.pass.Fset.Position(at)
	return flow.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
}

// handler judges what a handler changes.
func (j *judge) handler(h served.Handler) {
	s := j.summary(h.Function)
	if s == nil || s.Generated {
		return
	}
	for _, i := range plainest(s) {
		e := &s.Events[i]
		if changes(s, i) && common(h.Function, e) {
			j.found(e, h.Kind+" handler "+h.Name(), "all requests")
		}
	}
}

// plainest are the events of a function, those first that depend on the fewest
// branches: of several that change one thing the first is told.
func plainest(s *flow.Summary) []int {
	all := make([]int, len(s.Events))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(len(s.Events[a].Conds), len(s.Events[b].Conds)) })
	return all
}

// changes tells whether an event writes to memory with no lock held.
func changes(s *flow.Summary, i int) bool {
	e := &s.Events[i]
	switch e.Op {
	case libs.MapSet, libs.MapDelete, libs.Store:
	default:
		return false
	}
	if alone(s, e) || e.Note != "" || strings.HasPrefix(e.Call, "(*sync.") || strings.HasSuffix(strings.ToLower(e.In), "locked") {
		return false
	}
	for k := range s.Events {
		if o := &s.Events[k]; (o.Op == libs.Once || o.Op == libs.Flight) && s.After(k, i) && o.In != e.In {
			return false
		}
	}
	return true
}

// alone tells whether a lock is held at an event that lets nobody else in: one for
// reading does.
func alone(s *flow.Summary, e *flow.Event) bool {
	return slices.ContainsFunc(e.Held, func(l int) bool { return s.Events[l].Op != libs.RLock })
}

// common tells whether all requests have the place in common: a global, a field
// of the handler's receiver, a variable that the handler captured.
func common(fn *ssa.Function, e *flow.Event) bool {
	switch d := e.On.Desc; d.Root {
	case flow.Global:
		return true
	case flow.Param:
		if d.N >= len(fn.Params) {
			return true
		}
		return d.N == 0 && fn.Signature.Recv() != nil && d.Path != "" && byReference(fn, e)
	}
	return false
}

// byReference tells whether a change of the receiver's field is seen outside: the
// receiver is a pointer, or it is a copy that leads to the same map.
func byReference(fn *ssa.Function, e *flow.Event) bool {
	return e.Op != libs.Store || strings.HasPrefix(fn.Signature.Recv().Type().String(), "*") || strings.Count(e.On.Path, ".") > 1
}

// found reports an event. Who changes the place, whose says who has it in common,
// and reads are where others read it.
func (j *judge) found(e *flow.Event, who, whose string, reads ...token.Pos) {
	name := thing(e)
	key := e.In + " " + name[:strings.LastIndexByte(name, '.')+1] + harm(e)
	if j.said[key] {
		return
	}
	j.said[key] = true
	f := told(e, who, whose)
	for _, r := range reads {
		f.Related = append(f.Related, flow.Note{At: j.pos(r), Text: "it is read here, without a lock"})
	}
	f.Report(j.pass, "sharedglobal")
}

// told is the finding for an event.
func told(e *flow.Event, who, whose string) flow.Found {
	f := flow.Found{At: e.Inner(), Severity: "high", Message: tell.Story(
		thing(e)+" is shared by "+whose+", and "+who+" changes it without a lock",
		"  "+pairOf(whose)+" run at the same time, each in its own goroutine",
		suffered(e, whose), fix,
	)}
	if len(e.Site) > 1 {
		f.Related = []flow.Note{{At: e.Site[0], Text: "the handler comes from here"}}
	}
	return f
}

// pairOf names two of those who have a place in common.
func pairOf(whose string) string {
	if whose == "all requests" {
		return "request A and request B"
	}
	return "A and B"
}

// users are those who read what one goroutine changes.
const users = "all who use it"

// suffered is what happens to them.
func suffered(e *flow.Event, whose string) string {
	switch {
	case whose != users:
		return harm(e)
	case e.Op == libs.Store:
		return "  A writes it and B reads it: B can see the old value for ever, or half of the new one"
	}
	return "  A writes the map and B reads it: the runtime ends the process, fatal error: concurrent map read and map write"
}

const fix = "fix: guard every access with one sync.Mutex; an atomic for a counter or a flag; a local variable or the request's context for what belongs to one request"

func harm(e *flow.Event) string {
	if e.Op == libs.MapSet || e.Op == libs.MapDelete {
		return "  both write the map: the runtime ends the process, fatal error: concurrent map writes"
	}
	return "  both write it: one write is lost, and A can go on with what B stored"
}

// thing names the variable or field.
func thing(e *flow.Event) string {
	name := e.On.Class
	if name == "" {
		name = "a captured variable"
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return name
}
