package kvcheckact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// pipe is how calls, types and variables are named that collect commands.
var pipe = regexp.MustCompile(`(?i)pipe`)

// queued tells whether a command is or may be collected with others and sent with
// them at once: in a pipeline, or on what a caller hands over that can be one.
func queued(s *flow.Summary, e *flow.Event) bool {
	if slices.ContainsFunc(e.Under, pipe.MatchString) || pipe.MatchString(e.On.Class) || pipe.MatchString(e.On.String()) {
		return true
	}
	if e.On.Root != flow.Param || e.On.Path != "" || e.On.N >= len(s.Params) {
		return false
	}
	typ := s.Params[e.On.N]
	return pipe.MatchString(typ) || strings.HasSuffix(typ, "Cmdable")
}
