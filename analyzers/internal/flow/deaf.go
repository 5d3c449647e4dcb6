package flow

import (
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
)

// askDeaf notes the question "deaf" of a function that says yes or no to an error,
// where all that it looks at is written out in it, and 40001 is nothing of that;
// "deaf elsewhere" where it has words of one other database alone.
func (m *maker) askDeaf() {
	err := predicate(m.fn)
	if err == nil {
		return
	}
	h := hearing{codes: m.b.codes}
	cfg.Each(m.fn, h.instruction)
	if h.first == nil {
		h.first = h.kind
	}
	switch {
	case h.first == nil || h.open || h.conflict:
	case h.pg || len(h.others) != 1:
		m.ask(err, h.first, "deaf")
	default:
		m.ask(err, h.first, "deaf elsewhere")
	}
}

// predicate is the error about which a named function answers with yes or no, nil
// when there is none.
func predicate(fn *ssa.Function) *ssa.Parameter {
	results := fn.Signature.Results()
	if fn.Parent() != nil || results.Len() != 1 {
		return nil
	}
	if b, ok := results.At(0).Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
		return nil
	}
	for _, p := range fn.Params {
		if isError(p.Type()) {
			return p
		}
	}
	return nil
}

// hearing is what a function looks at in an error.
type hearing struct {
	first    ssa.Instruction // the first that looks for a code, a word or an error
	kind     ssa.Instruction // the last that looks for a type
	open     bool            // something decides that is not written out here
	conflict bool            // a conflict is among it
	pg       bool            // something that only PostgreSQL has is
	others   map[string]bool // databases of which it knows words or types
	codes    map[*ssa.Global][]string
}

func (h *hearing) instruction(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.TypeAssert:
		h.typed(in, in.AssertedType)
	case *ssa.Lookup:
		h.open = h.open || len(h.codes[listIn(in.X)]) == 0
	case *ssa.Index, *ssa.MakeClosure:
		h.open = true
	case ssa.CallInstruction:
		h.call(in)
	}
	for _, op := range in.Operands(nil) {
		switch v := (*op).(type) {
		case *ssa.Const:
			if v.Value != nil && isString(v.Type()) && constText(v) != "" {
				h.text(in, constText(v))
			}
		case *ssa.Global:
			h.global(in, v)
		}
	}
}

// global is a variable at which the function looks: a list of codes, an error of a
// library, or what is not known here.
func (h *hearing) global(in ssa.Instruction, g *ssa.Global) {
	h.look(in)
	list := h.codes[g]
	for _, code := range list {
		h.text(in, code)
	}
	h.open = h.open || len(list) == 0 && (!isError(g.Type().(*types.Pointer).Elem()) || sameModule(g.Pkg.Pkg.Path(), in.Parent().Pkg.Pkg.Path()))
}

func (h *hearing) look(in ssa.Instruction) {
	if h.first == nil || in.Pos().IsValid() && in.Pos() < h.first.Pos() {
		h.first = in
	}
}

// heard are the words for a conflict at REPEATABLE READ or SERIALIZABLE; a
// deadlock is another one.
var heard = regexp.MustCompile(`(?i)40001|40000|^40$|serializ|concurrent update|restart transaction|retry transaction|transaction_rollback|conflict|concurren`)

// othersWords are of other databases.
var othersWords = map[string]*regexp.Regexp{
	"sqlite":  regexp.MustCompile(`(?i)sqlite|(database|table) is locked|^busy$`),
	"mysql":   regexp.MustCompile(`(?i)mysql|mariadb|restarting transaction|lock wait timeout|deadlock found`),
	"mongo":   regexp.MustCompile(`(?i)mongo|TransientTransactionError`),
	"mssql":   regexp.MustCompile(`(?i)mssql|sqlserver`),
	"spanner": regexp.MustCompile(`(?i)spanner`),
}

// ownWords are of PostgreSQL alone, in the messages of its server.
var ownWords = regexp.MustCompile(`(?i)deadlock detected|could not obtain lock on|canceling statement due to|terminating connection due to`)

func (h *hearing) text(in ssa.Instruction, text string) {
	h.look(in)
	h.conflict = h.conflict || heard.MatchString(text)
	h.pg = h.pg || sqlstate.MatchString(text) && strings.ContainsAny(text, "0123456789") || ownWords.MatchString(text)
	h.word(text)
}

func (h *hearing) word(text string) {
	for name, words := range othersWords {
		if words.MatchString(text) {
			if h.others == nil {
				h.others = map[string]bool{}
			}
			h.others[name] = true
		}
	}
}

// typed notes that an error is asked for its type.
func (h *hearing) typed(in ssa.Instruction, t types.Type) {
	name := t.String()
	h.open = h.open || ours(t, in.Parent())
	h.kind = in
	h.pg = h.pg || strings.Contains(name, "pgconn.") || strings.Contains(name, "lib/pq.") || strings.Contains(name, "pgdriver.")
	h.word(name)
}

// ours reports whether a type is declared in the module of a function.
func ours(t types.Type, fn *ssa.Function) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && sameModule(n.Obj().Pkg().Path(), fn.Pkg.Pkg.Path())
}

// looking are calls that look at what they are given and know nothing themselves.
var looking = regexp.MustCompile(`^(strings\.|errors\.(Is|As|AsType|Unwrap)\b|slices\.Contains\b|\(error\)\.Error$|\(github\.com/lib/pq\.ErrorC(ode|lass)\)\.|\(\*github\.com/(lib/pq\.Error|jackc/pgx/v5/pgconn\.PgError)\)\.|github\.com/jackc/pgx/v5/pgconn\.(SafeToRetry|Timeout)$|\(net\.Error\)\.)`)

func (h *hearing) call(in ssa.CallInstruction) {
	com := in.Common()
	name := calledFull(com)
	if _, builtin := com.Value.(*ssa.Builtin); builtin {
		return
	}
	if !looking.MatchString(name) {
		h.open = true
		return
	}
	if strings.HasPrefix(name, "errors.As") && len(com.Args) == 2 {
		h.typed(in, pointedAt(com.Args[1]))
	}
}

// pointedAt is the type of what is behind a pointer in an interface.
func pointedAt(v ssa.Value) types.Type {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if p, ok := v.Type().Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return v.Type()
}
