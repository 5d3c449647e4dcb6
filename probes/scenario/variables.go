package scenario

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// automatic are the variables that every script has, as in pgbench.
var automatic = []string{"client_id", "default_seed", "random_seed", "scale"}

var (
	setCommand  = regexp.MustCompile(`(?m)^\s*(?:\\set|\\setshell|--\s*@rows)\s+(\w+)`)
	rowsCommand = regexp.MustCompile(`\\[ga]set[ \t]*(\w*)`)
	anyWord     = regexp.MustCompile(`[\w*]+`)
)

// variables are the names that the script of an actor sets by itself or is
// given. Those that \gset takes from the columns of a result are not among
// them: only the server knows these.
func (a *Actor) variables() []string {
	names := namesOf(a.Params)
	for _, m := range setCommand.FindAllStringSubmatch(a.Text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return append(names, automatic...)
}

// knows reports whether the actor may have a variable of that name. For the
// columns of \gset it goes by the words of the script, so it errs towards yes.
func (a *Actor) knows(name string) bool {
	return slices.Contains(a.variables(), name) || a.fetches(name)
}

// fetches reports whether a result may bring the variable.
func (a *Actor) fetches(name string) bool {
	if a.Script == nil {
		return false
	}
	for _, m := range rowsCommand.FindAllStringSubmatch(a.Text, -1) {
		column, ok := strings.CutPrefix(name, m[1])
		if !ok {
			continue
		}
		for _, st := range a.Script.Stmts {
			for _, w := range anyWord.FindAllString(st.SQL, -1) {
				if w == "*" || strings.EqualFold(w, column) {
					return true
				}
			}
		}
	}
	return false
}

// scriptVariables reports the variables of a script that nothing sets. pgbench
// would send such a name to the server as it stands, and the server would
// complain about a colon.
func (l *loader) scriptVariables(a *Actor) {
	if a.Script == nil {
		return
	}
	src := Source{Text: a.Text, Where: Position{l.show(a.Path), 1, 1}}
	// The expression of a decision is code in a comment.
	code := strings.ReplaceAll(a.Text, "-- @decide", "          ")
	for _, p := range placeholders(code) {
		if !a.knows(p.name) {
			hint := oneOf(p.name, a.variables(), "")
			l.failAt(src.at(p.start), hint, "nothing sets the variable :%s of %s", p.name, path.Base(a.Path))
		}
	}
}
