package filecheckact

import (
	"os"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
	"github.com/ccheck/ccheck/analyzers/internal/pair"
)

// appended tells whether something is added at the end of a file because it was not
// found in it: two that look at once both add it.
func appended(s *flow.Summary, i, j int) bool {
	return openFlags(s.Events[j].Val.Desc)&os.O_APPEND != 0 && pair.Decides(s, i, j, sought)
}

// sought is a branch on what is in a file. That all of it could be read, and means
// something, is no such question: an error that is handed on says no more.
func sought(c flow.Cond) bool {
	if c.Test != flow.Decides || strings.Contains(c.Path, ".err") || strings.HasSuffix(c.Path, ".absent") {
		return false
	}
	return !c.Refused || c.Text != "" && !strings.HasSuffix(c.Text, " nil")
}
