package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// prepared gives an event the statement that was prepared before: in this
// function, or in the constructor, which has put it into a field. Tx.Stmt runs
// it in a transaction.
func (m *maker) prepared(st ssa.Value, e *Event) {
	if c, ok := st.(*ssa.Call); ok {
		if name := calledFull(&c.Call); name == "(*database/sql.Tx).StmtContext" || name == "(*database/sql.Tx).Stmt" {
			m.prepared(c.Call.Args[len(c.Call.Args)-1], e)
			e.On, e.Handle = m.value(c.Call.Args[0], c), libs.Tx
			return
		}
	}
	if c, ok := extracted(st).(*ssa.Call); ok && m.sites[c] != nil && len(m.sites[c].events) > 0 {
		p := &m.sum.Events[m.sites[c].events[0]]
		e.SQL, e.On, e.Handle = p.SQL, p.On, p.Handle
		return
	}
	if text := m.b.fields[fieldClass(st)]; text != "" {
		e.SQL, e.Handle = text, libs.Pool
		e.On = m.value(st, nil)
		e.On.Handle = libs.Pool
	}
}

// fieldClass is the declaration of the field that a value was read from, "" for
// another value.
func fieldClass(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			_, class := fieldName(fa.X.Type(), fa.Field)
			return class
		}
	case *ssa.Field:
		_, class := fieldName(v.X.Type(), v.Field)
		return class
	}
	return ""
}

// fieldTexts are the texts that fields hold for ever: strings and prepared
// statements that the package stores in one place only.
func fieldTexts(funcs []*ssa.Function) map[string]string {
	texts := map[string]string{}
	seen := map[string]bool{}
	for _, fn := range funcs {
		cfg.Each(fn, func(in ssa.Instruction) {
			st, ok := in.(*ssa.Store)
			if !ok {
				return
			}
			fa, ok := st.Addr.(*ssa.FieldAddr)
			if !ok || !isString(st.Val.Type()) && !isPrepared(st.Val.Type()) {
				return
			}
			_, class := fieldName(fa.X.Type(), fa.Field)
			if seen[class] {
				delete(texts, class)
				return
			}
			seen[class] = true
			if text := storedText(st.Val); text != "" && class != "" {
				texts[class] = text
			}
		})
	}
	return texts
}

func isPrepared(t types.Type) bool {
	return libs.TypeName(t) == "Stmt" && libs.Path(t) == "database/sql"
}

// storedText is the constant that is stored, or the one that a statement was
// prepared of: the only constant text among the arguments of the call.
func storedText(v ssa.Value) string {
	if c, ok := v.(*ssa.Const); ok && isString(c.Type()) && c.Value != nil {
		return constText(c)
	}
	call, ok := extracted(v).(*ssa.Call)
	if !ok || !isPrepared(v.Type()) {
		return ""
	}
	text := ""
	for _, a := range call.Call.Args {
		if c, ok := a.(*ssa.Const); ok && isString(c.Type()) && c.Value != nil {
			if text != "" {
				return ""
			}
			text = constText(c)
		}
	}
	return text
}
