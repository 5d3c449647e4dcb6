package isolation

import (
	"fmt"
	"strings"
)

// describe writes a spec in one line for each session and permutation.
func describe(s *Spec) string {
	var b strings.Builder
	for _, setup := range s.Setup {
		fmt.Fprintf(&b, "setup %q ", setup.SQL)
	}
	if s.Teardown != nil {
		fmt.Fprintf(&b, "teardown %q", s.Teardown.SQL)
	}
	for _, session := range s.Sessions {
		fmt.Fprintf(&b, "\nsession %s", session.Name)
		if session.Setup != nil {
			fmt.Fprintf(&b, " setup %q", session.Setup.SQL)
		}
		for _, step := range session.Steps {
			fmt.Fprintf(&b, " step %s %q", step.Name, step.SQL)
		}
		if session.Teardown != nil {
			fmt.Fprintf(&b, " teardown %q", session.Teardown.SQL)
		}
	}
	for _, p := range s.Permutations {
		b.WriteString("\npermutation " + describePermutation(p))
	}
	return b.String()
}

func describePermutation(p Permutation) string {
	var launches []string
	for _, l := range p {
		var markers []string
		for _, m := range l.Markers {
			switch {
			case m.once():
				markers = append(markers, "*")
			case m.Notices > 0:
				markers = append(markers, fmt.Sprintf("%d notices of %s", m.Notices, m.Step.Name))
			default:
				markers = append(markers, m.Step.Name)
			}
		}
		text := l.Step.Name
		if len(markers) > 0 {
			text += "(" + strings.Join(markers, ",") + ")"
		}
		launches = append(launches, text)
	}
	return strings.Join(launches, " ")
}
