package bleed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
)

// shown is the number of wrong answers in the evidence.
const shown = 10

// finding tells of all wrong answers, and the story of the first one that has
// the other request beside it.
func (r *record) finding() (report.Finding, bool) {
	var wrong []int
	alone := 0
	for i, a := range r.answers {
		if a.foreign() == "" {
			continue
		}
		wrong = append(wrong, i)
		if !a.together {
			alone++
		}
	}
	if len(wrong) == 0 {
		return report.Finding{}, false
	}
	first, last := r.answers[wrong[0]], r.answers[wrong[len(wrong)-1]]
	f := report.Finding{
		Rule: name, Severity: report.High, Claim: claim, Anomaly: "data of another user", Count: len(wrong), First: first.end, Last: last.end,
		Message: fmt.Sprintf("%d of %d answers hold the data of another user than the one who asked", len(wrong), len(r.answers)),
		Columns: []string{"asked", "got", "status", "answer"}, Fixes: fixes, Help: "docs/analyzers/bleed.md",
	}
	for _, i := range wrong[:min(shown, len(wrong))] {
		a := r.answers[i]
		f.Rows = append(f.Rows, []string{r.name(a.user), r.name(a.foreign()), a.status, strings.ReplaceAll(a.around, a.foreign(), r.name(a.foreign()))})
	}
	f.More = len(wrong) - len(f.Rows)
	f.Why = "What one request keeps for its user was changed by another request before it was read again. It happened only while requests of several users were open."
	if alone > 0 {
		f.Why = fmt.Sprintf("%d of them came while one user asked at a time: no race is needed, something is kept from one request to the next.", alone)
	}
	r.tell(&f, wrong)
	return f, true
}

// name is a user as people say it: lanes count from 1.
func (r *record) name(marker string) string {
	if i := slices.IndexFunc(r.answers, func(a *answer) bool { return a.user == marker }); i >= 0 {
		return fmt.Sprintf("user %d", r.answers[i].lane+1)
	}
	return marker
}

// tell puts the request and the one of the user whose data it got side by side.
func (r *record) tell(f *report.Finding, wrong []int) {
	at := wrong[0]
	var other *answer
	for _, i := range wrong {
		marker := r.answers[i].foreign()
		if other = r.beside(i, func(b *answer) bool { return b.user == marker }); other != nil {
			at = i
			break
		}
	}
	a := r.answers[at]
	f.Lanes = []report.Lane{{Name: "A", Detail: r.name(a.user)}}
	f.Steps = step(0, a, "answered with the data of "+r.name(a.foreign()))
	if other == nil {
		return
	}
	f.Lanes = append(f.Lanes, report.Lane{Name: "B", Detail: r.name(other.user)})
	f.Steps = append(f.Steps, step(1, other, "answered")...)
	slices.SortStableFunc(f.Steps, func(x, y report.Step) int { return int(x.Start - y.Start) })
}

// step is a request as two moments: what is between them is the application's.
func step(lane int, a *answer, result string) []report.Step {
	return []report.Step{
		{Lane: lane, Text: "asks", Start: a.start, End: a.start},
		{Lane: lane, Text: "gets " + a.status, Result: result, Start: max(a.end-time.Nanosecond, a.start), End: a.end},
	}
}

var fixes = []report.Fix{
	{
		Kind: confine, Title: "Keep what belongs to a request in the request",
		Note: "a local variable, an argument, the context of the request (Go: context.WithValue; Node: AsyncLocalStorage), never a variable of the module, a field of the handler or of a shared client",
	},
	{Kind: confine, Title: "Put the user into the key of every cache", Note: "in the application, and in front of it: Cache-Control: private, or Vary on what tells the user"},
}
