package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Preview is the query of an invariant as it is sent, for a person to read
// before anything runs. How calls end is not known then: those names stay in
// the text, and counted tells what each will be.
func (s *Scenario) Preview(inv Invariant) (text string, counted []string, err error) {
	counters := s.Counters(nil)
	for i := range counters {
		counters[i].Value = ":" + counters[i].Name
	}
	if text, err = SQL(inv.SQL.Text, s.Params, counters); err != nil {
		return "", nil, err
	}
	for _, p := range placeholders(text) {
		if line := s.counter(p.name); line != "" && !slices.Contains(counted, line) {
			counted = append(counted, line)
		}
	}
	return text, counted, nil
}

// counter tells what a variable of an end invariant counts, "" for any other.
func (s *Scenario) counter(name string) string {
	for i, prefix := range counterPrefixes {
		if actor, ok := strings.CutPrefix(name, prefix); ok && slices.Contains(s.Names(), actor) {
			return fmt.Sprintf(":%s is the number of calls of %s %s", name, actor, counterWords[i])
		}
	}
	return ""
}

// counterWords say how the calls ended that a variable counts, as the
// counterPrefixes are ordered.
var counterWords = [len(counterPrefixes)]string{"that were accepted", "that were refused", "that failed", "whose answer was lost"}
