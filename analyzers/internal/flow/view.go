package flow

import (
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ccheck/ccheck/analyzers/internal/schema"
)

// View is a set of functions that are judged together: those of a package, or
// all of the module.
type View struct {
	// Whole: all callers of all functions are in the view.
	Whole  bool
	sums   []*Summary
	at     map[Pos][]Context // events by the place of the statement itself
	schema schema.Schema
	models []modelled
	linked map[*Summary]*Summary // from what interfaces were resolved in: the function before
}

// modelled is what the structures of a package declare.
type modelled struct {
	path string
	keys schema.Schema
}

func newView() *View { return &View{schema: schema.Schema{}, linked: map[*Summary]*Summary{}} }

// unique reads the DDL among the statements of the functions.
func unique(sums []*Summary) schema.Schema {
	found := schema.Schema{}
	for _, s := range sums {
		for i := range s.Events {
			found.Read(s.Events[i].SQL)
		}
	}
	return found
}

// literals reads the DDL among the string literals: migrations often lie in a
// list that a loop runs through.
func literals(files []*ast.File, into schema.Schema) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len("create table") {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					into.Read(text)
				}
			}
			return true
		})
	}
}

// declare adds what a package says about the keys of tables.
func (v *View) declare(p *Package) {
	v.schema.Add(p.Schema)
	if len(p.Models) > 0 {
		v.models = append(v.models, modelled{p.Path, p.Models})
	}
}

// Unique reports whether the module's own DDL forbids two rows that agree in
// these columns, or the structure for the table does which lies closest: services
// that share a module have tables of one name.
func (s *Summary) Unique(table string, columns []string) bool {
	if s.view == nil {
		return false
	}
	unique, best := false, math.MaxInt
	for _, m := range s.view.models {
		if far := distance(m.path, packageOf(strings.TrimLeft(s.Name, "(*"))); far <= best && m.keys.Has(table) {
			unique = far == best && unique || m.keys.Unique(table, columns)
			best = far
		}
	}
	return unique || s.view.schema.Unique(table, columns)
}

// Context is an event as one function sees it.
type Context struct {
	*Summary
	Index int
}

func (v *View) add(sums ...*Summary) {
	v.sums = append(v.sums, sums...)
}

func (v *View) index() {
	v.at = map[Pos][]Context{}
	for _, s := range v.sums {
		s.view = v
		for i := range s.Events {
			p := s.Events[i].Inner()
			v.at[p] = append(v.at[p], Context{s, i})
		}
	}
}

func (v *View) judge(p Pairing) []Found {
	var all []Found
	for _, s := range v.sums {
		switch {
		case s.Folded:
		case p.Local && v.Whole:
			all = append(all, v.gained(p, s)...)
		default:
			all = append(all, p.Judge(s)...)
		}
	}
	return all
}

// gained is what a judgement finds in a function only since its interfaces were
// resolved.
func (v *View) gained(p Pairing, s *Summary) []Found {
	before := v.linked[s]
	if before == nil {
		return nil
	}
	known := map[Pos]bool{}
	for _, f := range p.Judge(before) {
		known[f.At] = true
	}
	return slices.DeleteFunc(p.Judge(s), func(f Found) bool { return known[f.At] })
}

// Inner is the place of the statement itself.
func (e *Event) Inner() Pos { return e.Site[len(e.Site)-1] }

// Seen returns the event as the callers of the function see it: with the
// transaction, locks and loops around the call.
func (s *Summary) Seen(i int) []Context {
	var out []Context
	if s.view == nil {
		return nil
	}
	for _, c := range s.view.at[s.Events[i].Inner()] {
		if c.Summary != s && through(c.Events[c.Index].Site, s.Events[i].Site) {
			out = append(out, c)
		}
	}
	return out
}

// through reports whether a way to a statement goes through all of another one:
// other callers of the statement's function are not callers of this one.
func through(way, inner []Pos) bool {
	n := len(way) - len(inner)
	return n > 0 && slices.Equal(way[n:], inner)
}

// Others are all functions that are judged together with this one.
func (s *Summary) Others() []*Summary {
	if s.view == nil {
		return []*Summary{s}
	}
	return s.view.sums
}

// Closed reports whether all callers of the function are at hand.
func (s *Summary) Closed() bool {
	return s.view != nil && s.view.Whole || !s.Exported
}
