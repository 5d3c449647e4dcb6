package flow

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// claim finds the commands that store only where nothing is, by what they are
// told: SET with the mode NX, and a transaction of etcd that puts a key if nobody
// has created it.
func (m *maker) claim(s *site, e *Event) {
	switch e.Note {
	case "SET options":
		if len(e.Args) > 0 && strings.EqualFold(e.Args[0].Parts[".Mode"].Name, "nx") {
			e.Op, e.Note = libs.KVClaim, "SET NX"
		}
		e.Args = nil
	case "Txn":
		m.txn(s, e)
	}
}

// txn reads cli.Txn(ctx).If(Compare(CreateRevision(k), "=", 0)).Then(OpPut(k, v)).
func (m *maker) txn(s *site, e *Event) {
	conds, puts := m.clauses(s.args[0])
	for _, put := range puts {
		if len(put.Call.Args) < 3 {
			continue
		}
		key := m.value(put.Call.Args[0], s.instr)
		for _, c := range conds {
			if !m.absent(c, key.Desc) {
				continue
			}
			e.Op, e.Key, e.Val = libs.KVClaim, key, m.value(put.Call.Args[1], s.instr)
			if !m.leased(put.Call.Args[2]) {
				e.Args = []Value{{Desc: Desc{Root: Const, Name: "0"}}}
			}
		}
	}
}

// clauses are the comparisons and the puts of a transaction.
func (m *maker) clauses(v ssa.Value) (conds, puts []*ssa.Call) {
	for range 4 {
		call, ok := v.(*ssa.Call)
		if !ok || !call.Call.IsInvoke() || len(call.Call.Args) != 1 {
			return conds, puts
		}
		elems, _ := m.elements(call.Call.Args[0])
		for _, el := range elems {
			c, ok := el.(*ssa.Call)
			switch {
			case !ok:
			case call.Call.Method.Name() == "If" && calledName(&c.Call) == "Compare":
				conds = append(conds, c)
			case call.Call.Method.Name() == "Then" && calledName(&c.Call) == "OpPut":
				puts = append(puts, c)
			}
		}
		v = call.Call.Value
	}
	return conds, puts
}

// absent reports whether a comparison asks that nobody has created the key.
func (m *maker) absent(cmp *ssa.Call, key Desc) bool {
	if len(cmp.Call.Args) != 3 {
		return false
	}
	of, ok := cmp.Call.Args[0].(*ssa.Call)
	if !ok || len(of.Call.Args) != 1 || !m.desc(of.Call.Args[0]).Same(key) {
		return false
	}
	switch calledName(&of.Call) {
	case "CreateRevision", "Version", "ModRevision":
		return m.desc(cmp.Call.Args[1]).Name == "=" && m.desc(cmp.Call.Args[2]).Name == "0"
	}
	return false
}

// leased reports whether the options of a put give the key a lease.
func (m *maker) leased(opts ssa.Value) bool {
	elems, ok := m.elements(opts)
	for _, o := range elems {
		if c, ok := o.(*ssa.Call); ok && calledName(&c.Call) == "WithLease" {
			return true
		}
	}
	return !ok
}
