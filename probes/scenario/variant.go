package scenario

import (
	"path"
	"slices"
	"strings"
)

// fixed returns the names of the variants that claim to be right.
func (l *loader) fixed(m *manifest) map[string]bool {
	var names []string
	for _, v := range m.Variants.items {
		names = append(names, v.key)
	}
	fixed := map[string]bool{}
	for _, w := range m.Fixed.items {
		switch {
		case !w.given():
		case !slices.Contains(names, w.text):
			l.fail(w.pos, oneOf(w.text, names, "there are no variants"), "no variant is called %q", w.text)
		case fixed[w.text]:
			l.fail(w.pos, "", "%q is here twice", w.text)
		}
		fixed[w.text] = true
	}
	return fixed
}

// variant is the scenario with the variant's changes.
func (l *loader) variant(base *Scenario, e entry[changeNode], fixed bool) *Scenario {
	if !isName(e.key) {
		l.fail(e.pos, "lower-case letters, digits and hyphens", "%q cannot be the name of a variant", e.key)
	}
	n := &e.value
	v := *base
	v.Version, v.Fixed, v.variants = e.key, fixed, nil
	v.Title, v.Doc = n.Title.text, strings.TrimSpace(n.Doc.text)
	v.Setup = slices.Concat(base.Setup, l.sources(n.Setup, base.Params))
	if r := l.reset(n.Reset, base.Params); r != nil {
		v.Reset = r
	}
	if n.Isolation.given() {
		v.Isolation = isolationOf(n.Isolation.text)
	}
	if n.MaxTries.given() {
		v.MaxTries = n.MaxTries.n
	}
	v.Actors = slices.Clone(base.Actors)
	for _, s := range n.Scripts.items {
		l.override(&v, s)
	}
	return &v
}

// override gives an actor of a variant another script.
func (l *loader) override(v *Scenario, s entry[word]) {
	a := v.Actor(s.key)
	if a == nil {
		l.fail(s.pos, oneOf(s.key, actorNames(v.Actors), ""), "the variant changes an actor %q that is not there", s.key)
		return
	}
	if !s.value.given() {
		return
	}
	a.Path = path.Clean(s.value.text)
	if a.Script, a.Text = l.script(a.Name, s.value); a.Script == nil {
		return
	}
	l.scriptVariables(a)
	for _, e := range a.Effects {
		l.effectOf(v.Version, a, e)
	}
}

// effectOf reports an effect whose variables the variant's script lacks.
func (l *loader) effectOf(variant string, a *Actor, e Effect) {
	for _, text := range []string{e.AtText, e.AddText} {
		for _, p := range placeholders(text) {
			if !a.knows(p.name) {
				l.failAt(e.Where, oneOf(p.name, a.variables(), ""), "script %s of variant %q has no variable :%s", a.Path, variant, p.name)
			}
		}
	}
}
