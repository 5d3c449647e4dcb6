package isolation

import "fmt"

// steps checks that no two steps have one name.
func (p *parser) steps() error {
	first := map[string]*Step{}
	for _, session := range p.spec.Sessions {
		for _, step := range session.Steps {
			if other := first[step.Name]; other != nil {
				return p.fault(step.Pos, "there is a step %q already, in line %d; step names are unique in a spec, over all sessions", step.Name, other.Line)
			}
			first[step.Name] = step
		}
	}
	return nil
}

// link puts the steps in the place of their names.
func (p *parser) link(launches []named) (Permutation, error) {
	permutation := make(Permutation, len(launches))
	present := map[string]*Step{}
	for i, l := range launches {
		step := p.spec.step(l.text)
		if step == nil {
			return nil, p.fault(l.pos, "there is no step %q%s", l.text, p.spec.meant(l.text))
		}
		permutation[i] = Launch{Pos: l.pos, Step: step}
		present[l.text] = step
	}
	for i, l := range launches {
		for _, m := range l.markers {
			marker, err := p.linkMarker(permutation[i].Step, m, present)
			if err != nil {
				return nil, err
			}
			permutation[i].Markers = append(permutation[i].Markers, marker)
		}
	}
	return permutation, nil
}

// linkMarker refuses what could never come true: a step that is not launched
// in the permutation, and one of the same session, which is launched only when
// this one is complete.
func (p *parser) linkMarker(of *Step, m named, present map[string]*Step) (Marker, error) {
	if m.once {
		return Marker{Pos: m.pos}, nil
	}
	step := present[m.text]
	switch {
	case step == nil && p.spec.step(m.text) == nil:
		return Marker{}, p.fault(m.pos, "there is no step %q%s", m.text, p.spec.meant(m.text))
	case step == nil:
		return Marker{}, p.fault(m.pos, "step %s waits for %s, which this permutation does not have", of.Name, m.text)
	case step.Session == of.Session:
		return Marker{}, p.fault(m.pos, "step %s waits for %s of its own session, which cannot run beside it", of.Name, m.text)
	}
	return Marker{Pos: m.pos, Step: step, Notices: m.notices}, nil
}

func (s *Spec) step(name string) *Step {
	for _, session := range s.Sessions {
		for _, step := range session.Steps {
			if step.Name == name {
				return step
			}
		}
	}
	return nil
}

// meant says which step a misspelt name may stand for: one that differs in
// case, or by one letter more, less or other.
func (s *Spec) meant(name string) string {
	for _, session := range s.Sessions {
		for _, step := range session.Steps {
			if near(name, step.Name) {
				return fmt.Sprintf("; did you mean %q?", step.Name)
			}
		}
	}
	return ""
}
