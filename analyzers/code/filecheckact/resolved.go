package filecheckact

import (
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// resolved tells whether a path is what a check made of the one that it was given:
// without links, as long as nobody makes another one. What is within that is found
// by way of it, too.
func resolved(s *flow.Summary, i int, path flow.Desc) bool {
	if s.Events[i].Call != "path/filepath.EvalSymlinks" {
		return false
	}
	if path.Root == flow.Result && path.N == i && !strings.Contains(path.Path, "#1") {
		return true
	}
	return path.Root == flow.Expr && slices.ContainsFunc(path.Args, func(a flow.Desc) bool { return resolved(s, i, a) })
}
