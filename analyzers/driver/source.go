package driver

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/startup"
	"github.com/ccheck/ccheck/analyzers/report"
)

// Source is a run over Go source.
type Source struct {
	Dir       string   // where the patterns are looked up
	Patterns  []string // as the go command has them
	Tests     bool     // read test files, too
	BuildTags string   // as -tags
	Env       []string // of the go command; nil for that of the process

	Analyzers []*analysis.Analyzer
	Pairings  []flow.Pairing // judgements that are made once more over all packages
	// Quiet has the rules about goroutines of one process, which do not mind code
	// that runs once, when the program starts.
	Quiet map[string]Start
	// Once says what a finding of a rule is about, when all findings about it in a
	// package have one mend: they are told once, with the other places as steps. "" is
	// a finding of its own.
	Once func(rule, message string) string
	// Severity is the severity of what a rule reports without saying how grave it is.
	Severity func(rule string) report.Severity

	// Cache is a folder for what was found in packages that do not change; none
	// is kept when it is empty. Tool is different for every build of ccheck.
	Cache string
	Tool  string
}

// Start says what code of the start of a program a rule does not mind.
type Start int

// BeforeOthers is code that main and initialisation call, before there are other
// goroutines; OneGoroutine is also what they start one goroutine for.
const (
	BeforeOthers Start = iota + 1
	OneGoroutine
)

// SourceResult is what the analyzers say about the packages.
type SourceResult struct {
	Findings []report.Finding // highest severity first, then by file and line
	Verdict  report.Verdict
	Reasons  []string // packages that could not be judged, and why
	Packages int      // judged, of those that the patterns name
	Lines    int      // of source, in these
	Cached   int      // how many of them were known from an earlier run
	// Scenarios can prove some of the findings on a server.
	Scenarios []Scenario
}

// maxSource is the size, in bytes, of the source of a package that is judged.
// Tables of data that somebody wrote as Go reach it, and a syntax tree takes
// some forty times the room of its text.
const maxSource = 24 << 20

// JudgeSource runs the analyzers over the packages that the patterns name. What
// these import from their own module is read from source as well, for its
// facts; everything else is known by its export data. The error says that there
// was nothing to judge at all.
func JudgeSource(ctx context.Context, s Source) (SourceResult, error) {
	if err := analysis.Validate(s.Analyzers); err != nil {
		return SourceResult{}, fmt.Errorf("preparing the analyzers: %w", err)
	}
	units, err := load(ctx, s)
	if err != nil {
		return SourceResult{}, err
	}
	kept := store{dir: s.Cache}
	remove, err := kept.open()
	if err != nil {
		return SourceResult{}, err
	}
	defer remove()
	j := newSession(s, units, kept)
	j.all(ctx)
	if err := ctx.Err(); err != nil {
		return SourceResult{}, fmt.Errorf("judging the source: %w", err)
	}
	return j.result(), nil
}

// session is one run: the packages, and what they share.
type session struct {
	Source
	units     []*unit              // imports before importers
	analyzers []*analysis.Analyzer // with all that they require, in an order to run them
	store     store
	slots     chan struct{}

	mu    sync.Mutex
	world *universe // the types of packages as importers see them
}

func newSession(s Source, units []*unit, kept store) *session {
	j := &session{
		Source: s, units: units, analyzers: sorted(append(slices.Clone(s.Analyzers), startup.Analyzer)), store: kept,
		world: newUniverse(kept), slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	registerFacts(j.analyzers)
	return j
}

// full is how much export data, in bytes, a universe holds before the units that
// come next begin another one, and read again what they need of it.
const full = 256 << 20

// universe is the one for the next unit: another one when it is full, unless most
// of that is what a single unit needs.
func (j *session) universe() *universe {
	j.mu.Lock()
	defer j.mu.Unlock()
	if w := j.world; w.bytes.Load() > max(full, 2*w.first.Load()) {
		j.world = newUniverse(j.store)
	}
	return j.world
}

// all judges every unit that is not known from an earlier run, each as soon as
// what it imports was judged.
func (j *session) all(ctx context.Context) {
	var wg sync.WaitGroup
	for _, u := range j.units {
		u.key = j.key(u)
		if !u.broken() && j.store.load(u) {
			close(u.done)
			continue
		}
		wg.Go(func() {
			defer close(u.done)
			for _, d := range u.deps {
				<-d.done
			}
			j.slots <- struct{}{}
			defer func() { <-j.slots }()
			if ctx.Err() == nil {
				j.one(u)
			}
		})
	}
	wg.Wait()
}

// one judges a unit and keeps what was said, unless that is incomplete.
func (j *session) one(u *unit) {
	if u.why == "" {
		u.why = trouble(u)
	}
	if u.broken() {
		return
	}
	j.run(u)
	if !u.broken() && len(u.said.Reasons) == 0 {
		j.store.save(u)
	}
}

// sorted lists the analyzers and all that they require, those that are required
// before those that require them.
func sorted(roots []*analysis.Analyzer) []*analysis.Analyzer {
	var all []*analysis.Analyzer
	seen := map[*analysis.Analyzer]bool{}
	var visit func(list []*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				visit(a.Requires)
				all = append(all, a)
			}
		}
	}
	visit(roots)
	return all
}

// result puts together what was said about all units.
func (j *session) result() SourceResult {
	r := SourceResult{Verdict: report.Clean}
	var directives []ignored
	for _, u := range j.units {
		if !u.root {
			continue
		}
		if u.broken() {
			r.Reasons = append(r.Reasons, u.why)
			continue
		}
		r.Packages++
		r.Lines += u.said.Lines
		if u.cached {
			r.Cached++
		}
		r.Reasons = append(r.Reasons, u.said.Reasons...)
		if u.given() {
			r.Reasons = append(r.Reasons, u.ID+": the rules know this library by its documentation, and do not look into it")
		}
		r.Findings = append(r.Findings, u.said.Findings...)
		directives = append(directives, u.said.Directives...)
	}
	j.world = nil // the types and facts of all packages, which are done
	findings, drafts, why := j.link(r.Findings)
	for i := range drafts {
		j.shorten(&drafts[i].Where)
	}
	r.Scenarios = drafts
	r.Reasons = grouped(append(r.Reasons, why...))
	r.Findings = j.tidySource(findings, directives)
	j.store.trim()
	if len(r.Reasons) > 0 {
		r.Verdict = report.Unknown
	}
	if len(r.Findings) > 0 {
		r.Verdict = report.Faulty
	}
	return r
}

// grouped says each reason once: a package and its test variant give the same,
// and what imports a broken package gives one for each importer.
func grouped(reasons []string) []string {
	var all []string
	counts := map[string]int{}
	for _, r := range reasons {
		if _, because, ok := strings.Cut(r, becauseOf); ok {
			counts[because]++
			continue
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	for i, r := range all {
		path, _, _ := strings.Cut(r, ": ")
		if n := counts[path]; n > 0 {
			all[i] += fmt.Sprintf(" (and so for %d that import it)", n)
			delete(counts, path)
		}
	}
	for because, n := range counts {
		all = append(all, fmt.Sprintf("%d packages were not judged because %s does not compile", n, because))
	}
	return all
}
