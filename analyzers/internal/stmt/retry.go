package stmt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/flow"
)

// again are the names of functions that run something again, or say whether to.
var again = regexp.MustCompile(`(?i)retr(y|ies)|backoff|serializ|deadlock|transient|conflict|executetx|crdb|temporary|attempt`)

// unsent is a function of pgconn that says yes when nothing was sent to the server.
const unsent = "call SafeToRetry"

// RunsAgain reports whether the name of a function says that it runs something
// again, or whether to.
func RunsAgain(name string) bool { return again.MatchString(name) }

// AsksFor reports whether the question is one for an error code that codes
// matches, or is put to a function whose name says that it tells whether to try again.
func AsksFor(a flow.Ask, codes *regexp.Regexp) bool {
	return codes.MatchString(a.Text) || strings.HasPrefix(a.Text, "call ") && again.MatchString(a.Text) && a.Text != unsent
}

// Retried reports whether the function runs an event again after an error of
// these codes: a loop around it and a question for the code, or a retry helper.
func Retried(s *flow.Summary, i int, codes *regexp.Regexp) bool {
	e := &s.Events[i]
	if slices.ContainsFunc(e.Under, again.MatchString) {
		return true
	}
	if len(e.Loop) == 0 {
		return false
	}
	return again.MatchString(s.Name) || slices.ContainsFunc(s.Asks, func(a flow.Ask) bool { return AsksFor(a, codes) })
}

// RetriedByCallers reports whether a caller in sight does.
func RetriedByCallers(s *flow.Summary, i int, codes *regexp.Regexp) bool {
	return slices.ContainsFunc(s.Seen(i), func(c flow.Context) bool { return Retried(c.Summary, c.Index, codes) })
}
