package goroutineleak

import (
	"go/version"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// ticker finds tickers that are never stopped, where the language version of
// the module is from before the garbage collector took them (Go 1.23).
func (j *judge) ticker(c *ssa.Call) {
	if place.CalleeName(c.Common()) != "time.NewTicker" {
		return
	}
	v := j.pass.Pkg.GoVersion()
	if v == "" || version.Compare(v, "go1.23") >= 0 || keeps(c) || unending(c) || j.background(c.Parent()) {
		return
	}
	j.Found(c.Pos(), tell.Story(
		"this ticker is never stopped: before Go 1.23 the runtime keeps it, and its timer, for ever",
		"  each call makes another one, and all of them go on ticking",
		"fix: defer ticker.Stop(); or raise the go line of go.mod to 1.23, from where unused tickers are collected",
	), nil)
}

// keeps tells whether a ticker is stopped here, or handed to somebody who may.
func keeps(c *ssa.Call) bool {
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.DebugRef:
		default:
			_ = r
			return true
		}
	}
	return false
}

// unending tells whether the function never returns once it has the ticker, which
// it then needs for as long.
func unending(c *ssa.Call) bool {
	return !cfg.Walk(c, func(in ssa.Instruction) cfg.Step {
		if _, ok := in.(*ssa.Return); ok {
			return cfg.Found
		}
		return cfg.On
	}, tickerClosed)
}

// background tells whether a function is a loop that runs as a goroutine of the
// process, and not one for each request or instance: there is one ticker of it.
func (j *judge) background(fn *ssa.Function) bool {
	calls := j.calls.Calls(fn)
	return loops(fn) && len(calls) > 0 && !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		g, ok := c.(*ssa.Go)
		return !ok || j.lifetime(g) != "" || cfg.Within(g.Block())
	})
}
