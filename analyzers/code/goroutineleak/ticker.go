package goroutineleak

import (
	"go/version"

	"golang.org/x/tools/go/ssa"

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
	if v == "" || version.Compare(v, "go1.23") >= 0 || keeps(c) {
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
