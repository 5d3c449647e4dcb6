package scenario

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/ccheck/ccheck/probes/actor/script"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// checkName holds the scenario's name, written or taken from the folder,
// against what Open and the names of files can carry.
func (l *loader) checkName(w word) {
	if w.given() && !isName(w.text) {
		l.fail(w.pos, "lower-case letters, digits and hyphens", "%q cannot be the name of a scenario", w.text)
	}
}

// isName reports whether s is lower-case letters, digits and hyphens.
func isName(s string) bool {
	bad := strings.IndexFunc(s, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	return s != "" && s[0] != '-' && bad < 0
}

// isVariable reports whether s can be the name of a variable.
func isVariable(s string) bool {
	bad := strings.IndexFunc(s, func(r rune) bool { return r > 0x7f || !sqltext.Letter(byte(r)) })
	return s != "" && bad < 0 && !sqltext.Digit(s[0])
}

// actors resolves the actors; two of one name would share their counters.
func (l *loader) actors(from list[actorNode], params []Param) []Actor {
	if from.given() && len(from.items) == 0 {
		l.fail(from.pos, "add at least one actor with a name and a script", "no actors")
	}
	var all []Actor
	for i := range from.items {
		n := &from.items[i]
		switch {
		case !n.Name.given():
			continue
		case !isVariable(n.Name.text):
			l.fail(n.Name.pos, "letters, digits and underscores, because :ok_NAME counts its calls", "%q cannot be the name of an actor", n.Name.text)
		case slices.ContainsFunc(all, func(a Actor) bool { return a.Name == n.Name.text }):
			l.fail(n.Name.pos, "", "two actors are called %q", n.Name.text)
		}
		all = append(all, l.actor(n, params))
	}
	l.weights(from, all)
	return all
}

// weights reports a list in which no actor can ever be drawn.
func (l *loader) weights(from list[actorNode], all []Actor) {
	sum := 0
	for _, a := range all {
		sum += max(a.Weight, 0)
	}
	if len(all) > 0 && sum == 0 {
		l.fail(from.pos, "give one of them a weight above 0", "every actor has weight 0")
	}
}

func (l *loader) actor(n *actorNode, params []Param) Actor {
	a := Actor{Name: n.Name.text, Weight: 1, Where: l.where(n.pos), own: l.params(n.Params)}
	if n.Weight.given() {
		a.Weight = n.Weight.n
	}
	if n.Script.given() {
		a.Path = path.Clean(n.Script.text)
	} else {
		l.fail(n.pos, `add "script: ….sql"`, "script is missing")
	}
	a.Params = overlay(params, a.own)
	a.Script, a.Text = l.script(a.Name, n.Script)
	l.scriptVariables(&a)
	for i := range n.Effects.items {
		a.Effects = append(a.Effects, l.effect(&n.Effects.items[i], &a))
	}
	return a
}

func (l *loader) effect(n *effectNode, a *Actor) Effect {
	return Effect{
		Table: n.Table.text, Key: n.Key.text, Column: n.Column.text,
		At: l.expr(n.At, a), AtText: n.At.text,
		Add: l.expr(n.Add, a), AddText: n.Add.text,
		Where: l.where(n.pos),
	}
}

// expr parses an expression over the variables that the actor has at the end
// of a call.
func (l *loader) expr(e expr, a *Actor) *script.Expr {
	if !e.given() {
		return nil
	}
	parsed, err := script.ParseExpr(l.d.file, e.text)
	if err != nil {
		l.exprError(e.start, err)
		return nil
	}
	for _, p := range placeholders(e.text) {
		if a.Script != nil && !a.knows(p.name) {
			at := pos{e.start.line, e.start.column + p.start}
			l.fail(at, oneOf(p.name, a.variables(), ""), "script %s has no variable :%s", a.Path, p.name)
		}
	}
	return parsed
}

// scriptError reports what the script language refuses, at its own place.
func (l *loader) scriptError(at pos, err error) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			l.scriptError(at, e)
		}
		return
	}
	var syntax *script.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &syntax):
		l.failAt(Position{syntax.File, syntax.Line, syntax.Column}, syntax.Hint, "%s", syntaxText(syntax))
	default:
		l.fail(at, "", "%v", err)
	}
}

// exprError reports it at the expression's place in the manifest.
func (l *loader) exprError(at pos, err error) {
	var syntax *script.SyntaxError
	if !errors.As(err, &syntax) {
		l.fail(at, "", "%v", err)
		return
	}
	at.column += max(syntax.Column-1, 0)
	l.fail(at, syntax.Hint, "%s", syntaxText(syntax))
}

func syntaxText(e *script.SyntaxError) string {
	if e.Token == "" {
		return e.Msg
	}
	return e.Msg + ` at "` + e.Token + `"`
}

// load resolves how the scenario is driven.
func (l *loader) load(n *loadNode, actors []Actor) Workload {
	load := Workload{Mode: Loop, Clients: n.Clients.n, Think: n.Think.Think}
	if n.Mode.given() {
		load.Mode = Mode(n.Mode.text)
	}
	if n.Lanes.given() && load.Mode == Loop {
		l.fail(n.Lanes.pos, `add "mode: rounds", or give the actors weights`, "lanes belong to rounds")
	}
	sum := 0
	for _, e := range n.Lanes.items {
		if !slices.ContainsFunc(actors, func(a Actor) bool { return a.Name == e.key }) {
			l.fail(e.pos, oneOf(e.key, actorNames(actors), ""), "no actor is called %q", e.key)
		}
		load.Lanes = append(load.Lanes, Lane{e.key, e.value.n})
		sum += e.value.n
	}
	if len(load.Lanes) > 0 {
		if n.Clients.given() && n.Clients.n != sum {
			l.fail(n.Clients.pos, "leave clients out", "clients is %d and the lanes are %d", n.Clients.n, sum)
		}
		load.Clients = sum
	}
	return load
}

func actorNames(actors []Actor) []string {
	names := make([]string, len(actors))
	for i, a := range actors {
		names[i] = a.Name
	}
	return names
}

// invariants resolves the queries and holds their variables against the
// parameters and, at the end, the counters of the actors.
func (l *loader) invariants(from list[ruleNode], s *Scenario) []Invariant {
	var all []Invariant
	for i := range from.items {
		n := &from.items[i]
		if slices.ContainsFunc(all, func(v Invariant) bool { return v.Name == n.Name.text && n.Name.given() }) {
			l.fail(n.Name.pos, "", "two invariants are called %q", n.Name.text)
		}
		all = append(all, l.invariant(n, s))
	}
	return all
}

func (l *loader) invariant(n *ruleNode, s *Scenario) Invariant {
	v := Invariant{Name: n.Name.text, When: Running, Where: l.where(n.pos)}
	if n.When.given() {
		v.When = When(n.When.text)
	}
	for _, f := range n.Fixes.items {
		v.Fixes = append(v.Fixes, f.text)
	}
	if n.SQL.given() == n.File.given() {
		l.fail(n.pos, "", "expected one of sql and file for the invariant %q", n.Name.text)
		return v
	}
	var ok bool
	if v.SQL, ok = l.source(n.File, n.SQL); ok {
		l.invariantSQL(v, s)
	}
	return v
}

func (l *loader) invariantSQL(v Invariant, s *Scenario) {
	if strings.TrimSpace(v.SQL.Text) == "" {
		l.failAt(v.SQL.Where, "write a query that returns a row for every violation", "the invariant %q is empty", v.Name)
		return
	}
	params, counters := namesOf(s.Params), namesOf(s.Counters(nil))
	if v.When == End {
		l.known(v.SQL, append(params, counters...), "")
		return
	}
	for _, p := range placeholders(v.SQL.Text) {
		if slices.Contains(counters, p.name) {
			l.failAt(v.SQL.at(p.start), `add "when: end"`, "the counter :%s is known at the end only", p.name)
			params = append(params, p.name)
		}
	}
	l.known(v.SQL, params, "")
}
