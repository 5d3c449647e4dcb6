package growth

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/served"
	"github.com/ccheck/ccheck/analyzers/internal/tell"
)

// labelled are the functions that make a series for each combination of labels, or a
// counter for each name, and keep it as long as the process lives.
var labelled = regexp.MustCompile(`^\(\*github\.com/prometheus/client_golang/prometheus\.\w+Vec\)\.(GetMetric)?With(LabelValues)?$|^\(\*expvar\.Map\)\.(Add|AddFloat|Set)$`)

// anything are the parts of a request that whoever sends it makes up.
var anything = regexp.MustCompile(`URL\.(Raw)?Path|RequestURI|URL\.String|RemoteAddr|UserAgent|Header|\.Host\b|FormValue|PathValue|\.(Default)?Query\b|\.Param\b|ClientIP|RealIP|Cookie`)

// series judges labels of metrics that clients make up.
func (j *judge) series(c *served.Context, in ssa.Instruction) {
	call, ok := in.(ssa.CallInstruction)
	if !ok || !labelled.MatchString(place.CalleeName(call.Common())) {
		return
	}
	for _, a := range call.Common().Args[1:] {
		if slices.ContainsFunc(append(values(a), a), func(v ssa.Value) bool { return j.wild(v, 0) }) {
			j.Found(in.Pos(), tell.Story(
				"a metric gets a series for each value that clients make up: "+c.Kind+" handlers take a label from the request as it was sent",
				"  each new path, address or header makes a series of its own",
				"  a scan makes some thousands, none is ever dropped: memory and every scrape grow until the process is killed",
				"fix: label by what the program knows: the pattern of the route, the method, the class of the status; and count the rest as \"other\"",
			), nil)
			return
		}
	}
}

// values are what a list of labels, or a map of them, is made of.
func values(v ssa.Value) []ssa.Value {
	if vals := place.Variadic(v); len(vals) > 0 {
		return vals
	}
	if ct, ok := v.(*ssa.ChangeType); ok {
		v = ct.X
	}
	m, ok := v.(*ssa.MakeMap)
	if !ok {
		return nil
	}
	var out []ssa.Value
	for _, r := range *m.Referrers() {
		if u, ok := r.(*ssa.MapUpdate); ok {
			out = append(out, u.Value)
		}
	}
	return out
}

// wild tells whether a value is a part of the request that the client makes up, as it
// came, but for how it is written. What a function of the package answers may be one
// of a few.
func (j *judge) wild(v ssa.Value, depth int) bool {
	if depth > 5 || v == nil {
		return false
	}
	if text := place.Of(v).String(); anything.MatchString(text) && !routeName.MatchString(text) && j.chosen(v, 0) && !kept(v) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Call:
		name := place.CalleeName(v.Common())
		return (strings.HasPrefix(name, "strings.To") || strings.HasPrefix(name, "strings.Trim")) && j.wild(v.Call.Args[0], depth+1)
	case *ssa.BinOp:
		return j.wild(v.X, depth+1) || j.wild(v.Y, depth+1)
	case *ssa.Parameter:
		args, all := j.calls.Args(v)
		return all && slices.ContainsFunc(args, func(a ssa.Value) bool { return j.wild(a, depth+1) })
	}
	return false
}

// kept tells whether a value is what a function of the package made of a part.
func kept(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	return ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Pkg == c.Parent().Pkg
}
