package flow

import (
	"go/constant"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// callDesc names a result of a call.
func (m *maker) callDesc(c *ssa.Call, k int) Desc {
	if s := m.sites[c]; s != nil {
		switch {
		case s.row != nil && s.row.Op == libs.Pass:
			return s.passed(m)
		case s.top != nil && k < len(s.top.sum.Descs):
			d := s.top.desc(s.top.sum.Descs[k])
			if d.Root == Unknown || d.Class == "new" || d.Handle != libs.NoHandle || libs.HandleOf(c.Call.Signature().Results().At(k).Type()) != libs.NoHandle {
				d.Via = via(&c.Call)
			}
			return d
		case len(s.events) > 0 && s.top == nil:
			return Desc{Root: Result, N: s.events[0], Path: ".#" + strconv.Itoa(k)}
		}
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "min" || b.Name() == "max") {
		return m.expr(b.Name(), c.Call.Args)
	}
	if f := c.Call.StaticCallee(); f != nil && f.Pkg != nil && pure[f.Pkg.Pkg.Path()] && c.Call.Signature().Recv() == nil {
		if respelt[f.String()] {
			return m.desc(c.Call.Args[0])
		}
		return m.expr(f.String(), c.Call.Args)
	}
	if asksByName(c) || spells(c) {
		return m.expr(calledFull(&c.Call), arguments(&c.Call))
	}
	if libs.HandleOf(c.Type()) != libs.NoHandle && calledFull(&c.Call) != "" && len(arguments(&c.Call)) == 1 {
		return m.expr(calledFull(&c.Call), arguments(&c.Call))
	}
	return m.local(c)
}

// asksByName reports whether a call reads a text by a constant name: a form
// value, a path parameter, a header. It gives the same again.
func asksByName(c *ssa.Call) bool {
	args := c.Call.Args
	if len(args) == 0 || !isString(c.Type()) || calledFull(&c.Call) == "" {
		return false
	}
	name, ok := args[len(args)-1].(*ssa.Const)
	return ok && name.Value != nil && isString(name.Type())
}

// spells reports whether a call writes a value as text, as the String of an
// address or an id does. A pointer's method may say something else by then.
func spells(c *ssa.Call) bool {
	args := arguments(&c.Call)
	if len(args) != 1 || !isString(c.Type()) || c.Call.Signature().Recv() == nil {
		return false
	}
	_, pointer := args[0].Type().Underlying().(*types.Pointer)
	name := calledName(&c.Call)
	return !pointer && (name == "String" || name == "Hex")
}

// via is the name of a call that gives a handle, with the names of the flags that
// are set: conn(true) is "conn readOnly".
func via(c *ssa.CallCommon) string {
	name := calledName(c)
	params := c.Signature().Params()
	args := c.Args[max(0, len(c.Args)-params.Len()):]
	for i, a := range args {
		if k, ok := a.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.Bool && constant.BoolVal(k.Value) {
			name += " " + params.At(i).Name()
		}
	}
	return name
}

// passed is the argument that a Pass hands on.
func (s *site) passed(m *maker) Desc {
	n := s.row.On
	if n == libs.None || s.row.Type != "" {
		n++
	}
	if n < len(s.args) {
		return m.desc(s.args[n])
	}
	return Desc{}
}

// pure are packages whose functions return the same for the same arguments.
var pure = map[string]bool{"strings": true, "strconv": true, "fmt": true, "path": true, "path/filepath": true, "bytes": true, "slices": true, "maps": true, "cmp": true,
	"net/url": true, "encoding/hex": true, "crypto/md5": true, "crypto/sha1": true, "crypto/sha256": true, "crypto/sha512": true}

// respelt are those that write a path in another way: it leads to the same file.
var respelt = map[string]bool{"path/filepath.Clean": true, "path.Clean": true, "path/filepath.FromSlash": true, "path/filepath.ToSlash": true}

func (m *maker) expr(name string, args []ssa.Value) Desc {
	d := Desc{Root: Expr, Name: name}
	for _, a := range args {
		if elems, ok := m.elements(a); ok {
			for _, e := range elems {
				d.Args = append(d.Args, m.desc(e))
			}
			continue
		}
		d.Args = append(d.Args, m.desc(a))
	}
	return d
}
