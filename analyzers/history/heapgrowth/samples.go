package heapgrowth

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/heap/series"
)

// leastSamples are needed in the last half for any word on growth: three can
// come by chance.
const leastSamples = 4

// samples judges an allocation stack of a Go profile. The exact totals, where
// there are any, have the last word.
func (j *judge) samples(r *series.Row, whole trend) report.Growth {
	n := len(r.Cells)
	g := report.Growth{Name: r.Name, Unit: string(series.Samples), Allocated: calls(r.Stack), Kind: retained.name}
	for _, c := range r.Cells {
		g.Counts = append(g.Counts, c.Count)
	}
	grown, err := change(r.Cells[settled(n)], r.Cells[n-1])
	g.Bytes, g.BytesError = int64(grown), int64(err)
	g.Verdict, g.Confidence, g.Why = j.axis().sampled(r.Cells)
	if steps := j.axis().late(); steps > 0 {
		late, lateErr := change(r.Cells[half(n)], r.Cells[n-1])
		g.Slope, g.Error = late/steps, lateErr/steps
	}
	if all := j.grown(); all > 0 {
		g.Share = math.Min(1, math.Max(0, grown/float64(all)))
	}
	if g.Verdict == report.Leak && g.Confidence == "low" && whole.verdict != report.Leak {
		g.Verdict, g.Confidence, g.Why = report.Growing, "", "too few samples to tell a leak from chance: lower GODEBUG=memprofilerate, or more load"
	}
	if whole.verdict == report.Bounded || whole.verdict == report.Noise {
		switch g.Verdict {
		case report.Leak:
			g.Verdict, g.Why = report.Noise, ""
		case report.Growing:
			g.Verdict, g.Why = report.Bounded, "runtime.MemStats see no growth in the last half"
		}
	}
	if g.Verdict == report.Leak && strings.HasPrefix(r.Name, "runtime.") {
		g.Verdict = report.Noise // the runtime's share of what goroutines and maps cost
	}
	if g.Verdict == report.Leak {
		j.keptBy(&g, r)
		j.doubt(&g, j.written(r, 20))
	}
	return g
}

// keptBy says what kind of growth it is, and why.
func (j *judge) keptBy(g *report.Growth, r *series.Row) {
	of, where := j.memoryKind(r)
	if g.Kind = of.name; where != "" {
		g.Why += "; " + where
	}
}

// change is the growth between two cells with its 95 % half-width. Where nothing
// was freed between them, what is there is what was there and what was added, and
// only the added part is uncertain.
func change(a, b series.Cell) (bytes, err float64) {
	variance := a.Var + b.Var
	if b.Freed == a.Freed && b.Added > 0 {
		variance = b.AddedVar - a.AddedVar
	}
	return b.Bytes - a.Bytes, 1.96 * math.Sqrt(math.Max(variance, 0))
}

// sampled judges a row of samples.
func (at axis) sampled(cells []series.Cell) (verdict report.GrowthVerdict, confidence, why string) {
	n := len(cells)
	first, mid, last := cells[0], cells[half(n)], cells[n-1]
	if n < 2 {
		return report.Noise, "", ""
	}
	all, allErr := change(first, last)
	grew := all > allErr && last.Count-first.Count >= leastSamples
	if n < enough {
		if grew {
			return report.Growing, "", "fewer than five snapshots cannot tell a leak from a cache that warms up"
		}
		return report.Noise, "", ""
	}
	late, lateErr := change(mid, last)
	samples := last.Count - mid.Count
	if late <= lateErr || samples < leastSamples || at.halted(cells, samples) {
		switch {
		case grew && (at.dying(cells) || at.halted(cells, samples)):
			return report.Bounded, "", fmt.Sprintf("within the error of sampling since snapshot %d", half(n)+1)
		case grew:
			return report.Growing, "", "too few samples in the last half to tell: lower GODEBUG=memprofilerate, or more load"
		}
		return report.Noise, "", ""
	}
	if at.dying(cells) {
		return report.Growing, "", "it grows by less and less, as a cache that fills does"
	}
	freed := last.Freed - mid.Freed
	why = fmt.Sprintf("%d samples more in the last %d snapshots", samples, n-1-half(n))
	if freed == 0 {
		why += ", and none freed"
	} else {
		why += fmt.Sprintf(", while %d were freed", freed)
	}
	switch {
	case samples >= 30 && freed*4 < samples:
		return report.Leak, "high", why
	case samples >= 10:
		return report.Leak, "medium", why
	}
	return report.Leak, "low", why
}

// halted reports whether the samples stopped to come: in the last third none,
// where at least four were to be expected.
func (at axis) halted(cells []series.Cell, samples int64) bool {
	n := len(cells)
	steps := n - 1 - half(n)
	tail := max((n-1)/3, 1)
	if tail >= steps {
		tail = steps - 1
	}
	if tail < 1 {
		return false
	}
	recent := cells[n-1].Count - cells[n-1-tail].Count
	from := at[n-1-tail]
	before := float64(samples-recent) / (from - at[half(n)]) * (at[n-1] - from)
	return before >= 4 && float64(recent) < 0.25*before
}

// dying reports whether the steps of the last half are smaller than those before
// by more than chance: three standard deviations, since a process has many stacks.
func (at axis) dying(cells []series.Cell) bool {
	n := len(cells)
	a, b, c := cells[settled(n)], cells[half(n)], cells[n-1]
	first, rest := at[half(n)]-at[settled(n)], at[n-1]-at[half(n)]
	early, late := float64(b.Count-a.Count)/first, float64(c.Count-b.Count)/rest
	chance := 3 * math.Sqrt(math.Max(early, 0)/first+math.Max(late, 0)/rest)
	return late < 0.6*early && early-late > chance
}

// std are the first elements of the standard library's import paths.
const std = " archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html " +
	"image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync " +
	"syscall testing text time unicode unique unsafe vendor weak "

// isStd reports whether a function is of the standard library.
func isStd(name string) bool {
	first, _, slash := strings.Cut(name, "/")
	if !slash {
		first, _, _ = strings.Cut(name, ".")
	}
	return strings.Contains(std, " "+first+" ")
}

// function is the innermost function of a stack that somebody wrote for this
// program, or else the one of the standard library that says most.
func function(stack []series.Frame) string {
	name := "(no stack)"
	for _, f := range stack {
		if !isStd(f.Func) {
			return f.Func
		}
		if name == "(no stack)" || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/") {
			name = f.Func
		}
	}
	return name
}

// outermost is the function that a goroutine was started with, for goroutines of
// the standard library: what they wait in is the same for all.
func outermost(stack []series.Frame) string {
	for i := len(stack) - 1; i >= 0; i-- {
		if !strings.HasPrefix(stack[i].Func, "runtime.") {
			return stack[i].Func
		}
	}
	return function(stack)
}

// mostCalls is how many calls of a stack are told.
const mostCalls = 6

// calls writes the part of a stack that tells something, innermost first: of the
// calls of the standard library before the first of the program, the innermost alone.
func calls(stack []series.Frame) []string {
	var out []string
	mine := slices.IndexFunc(stack, func(f series.Frame) bool { return !isStd(f.Func) })
	for i, f := range stack {
		if strings.HasPrefix(f.Func, "runtime.") && len(out) == 0 && function(stack) != f.Func || i < mine && len(out) > 0 {
			continue
		}
		text := f.Func
		if f.File != "" {
			text += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
		}
		if out = append(out, text); len(out) == mostCalls {
			break
		}
	}
	return out
}
