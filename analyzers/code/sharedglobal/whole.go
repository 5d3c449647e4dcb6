package sharedglobal

import (
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Pairing is the judgement of handlers for the step that sees the whole program:
// what they change behind interfaces that other packages implement.
var Pairing = flow.Pairing{Name: "sharedglobal", Local: true, Judge: whole}

func whole(s *flow.Summary) []flow.Found {
	params := s.Params
	method := strings.HasPrefix(s.Name, "(") && s.Parent == ""
	if method && len(params) > 0 {
		params = params[1:]
	}
	kind := libs.HandlerNamed(params)
	if kind == "" || s.Generated {
		return nil
	}
	var out []flow.Found
	for _, i := range plainest(s) {
		e := &s.Events[i]
		if len(e.Site) > 1 && changes(s, i) && (e.On.Root == flow.Global || method && behind(s, e)) {
			out = append(out, told(e, kind+" handler "+s.Name[strings.LastIndexByte(s.Name, '.')+1:], "all requests"))
		}
	}
	return out
}

// behind tells whether an event changes something that the receiver leads to.
func behind(s *flow.Summary, e *flow.Event) bool {
	if e.On.Root != flow.Param || e.On.N != 0 || e.On.Path == "" || strings.Contains(e.On.Path, "[]") {
		return false
	}
	return e.Op != libs.Store || strings.HasPrefix(s.Params[0], "*") || strings.Count(e.On.Path, ".") > 1
}
