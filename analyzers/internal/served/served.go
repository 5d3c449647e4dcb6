// Package served follows a package's code from the functions that a server
// calls, for many requests at once: HTTP and gRPC handlers, middleware,
// message and job handlers. At each instruction on the way it knows which
// memory all requests share and which belongs to one of them.
//
// It knows frameworks by the table in libs, and stays within one package.
package served

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/callers"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
)

// Visit is called for every instruction that a handler reaches.
type Visit func(c *Context, in ssa.Instruction)

// Context is a function on the way, as one caller reached it.
type Context struct {
	Handler *ssa.Function // where the way began
	Kind    string        // "HTTP", "gRPC" …
	Fn      *ssa.Function
	Up      *Context // the function that called or made Fn, nil for the handler
	Virtual bool     // an interface is between the handler and Fn
	params  uint64   // bit i: the i-th parameter leads to shared memory
	free    uint64
}

// Handler is a function that a server calls, and the sort of server.
type Handler struct {
	*ssa.Function
	Kind string
}

// Handlers are the functions of a package that a server calls.
func Handlers(fns []*ssa.Function, calls *callers.Index) []Handler {
	services := registered(fns)
	var out []Handler
	for _, fn := range fns {
		kind := kindOf(fn)
		if kind == "" {
			kind = byHand(fn, services)
		}
		if kind != "" && !part(fn) && outermost(fn) && handedOut(fn, calls) {
			out = append(out, Handler{fn, kind})
		}
	}
	return out
}

// kindOf is the sort of server that calls fn, as far as its signature and its
// receiver tell; "" when none does.
func kindOf(fn *ssa.Function) string {
	if k := libs.Handler(fn.Signature); k != "" {
		return k
	}
	if service(fn) {
		return "gRPC"
	}
	if k := generated(fn); k != "" {
		return k
	}
	return libs.Callback(fn.Name(), fn.Signature)
}

// outermost tells whether no handler is around fn, nor a helper of one that got
// the request: what these capture belongs to it.
func outermost(fn *ssa.Function) bool {
	for p := fn.Parent(); p != nil; p = p.Parent() {
		if kindOf(p) != "" || Takes(p) {
			return false
		}
	}
	return true
}

// Takes tells whether a function gets the request, or what a framework makes of one.
func Takes(fn *ssa.Function) bool {
	for v := range fn.Signature.Params().Variables() {
		if libs.Request(v.Type()) || carries(v.Type()) {
			return true
		}
	}
	return false
}

// carries tells whether a value of this type has the request in a field: the context
// that a router makes for each request.
func carries(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if libs.Path(f.Type()) == "net/http" && libs.TypeName(f.Type()) == "Request" || f.Embedded() && carries(f.Type()) {
			return true
		}
	}
	return false
}

// part tells whether fn is a method of what carries a request, and not itself given
// one, which it could put there.
func part(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil || !carries(recv.Type()) {
		return false
	}
	for v := range fn.Signature.Params().Variables() {
		if libs.Path(v.Type()) == "net/http" && libs.TypeName(v.Type()) == "Request" {
			return false
		}
	}
	return true
}

// handedOut tells whether anybody outside of the package's own calls can call
// fn: its name is exported, or its value is used.
func handedOut(fn *ssa.Function, calls *callers.Index) bool {
	if len(calls.Values(fn)) > 0 || fn.Parent() != nil {
		return true
	}
	return fn.Object() != nil && fn.Object().Exported()
}

// Walk visits all that the handlers of a package reach, each function once for
// what it shares: a function that two handlers call the same way is visited
// under the first.
func Walk(fns []*ssa.Function, calls *callers.Index, visit Visit) {
	w := &walker{visit: visit, calls: calls, seen: map[state]bool{}}
	for _, h := range Handlers(fns, calls) {
		c := &Context{Handler: h.Function, Kind: h.Kind, Fn: h.Function, free: ^uint64(0)}
		if h.Signature.Recv() != nil {
			c.params = 1
		}
		w.pkg = h.Pkg
		w.function(c)
	}
}

type state struct {
	fn           *ssa.Function
	params, free uint64
}

// enough ends the walk through a package that never ends.
const enough = 50_000

type walker struct {
	visit Visit
	calls *callers.Index
	seen  map[state]bool
	pkg   *ssa.Package
}

func (w *walker) function(c *Context) {
	s := state{c.Fn, c.params, c.free}
	if w.seen[s] || len(w.seen) > enough || c.Fn.Blocks == nil || c.Fn.Pkg != w.pkg {
		return
	}
	w.seen[s] = true
	for _, b := range c.Fn.Blocks {
		for _, in := range b.Instrs {
			w.visit(c, in)
			w.onward(c, in)
		}
	}
}

// onward follows calls, and the closures that are made on the way, whoever
// calls them.
func (w *walker) onward(c *Context, in ssa.Instruction) {
	if mc, ok := in.(*ssa.MakeClosure); ok {
		next := *c
		next.Up = c
		next.Fn, next.params, next.free = mc.Fn.(*ssa.Function), 0, c.mask(mc.Bindings)
		if libs.Handler(next.Fn.Signature) == "" || next.Fn.Parent() == c.Fn {
			w.function(&next)
		}
		return
	}
	call, ok := in.(ssa.CallInstruction)
	if !ok {
		return
	}
	if call.Common().IsInvoke() {
		w.implementations(c, call.Common())
		return
	}
	fn := callers.Callee(call.Common())
	if fn == nil || fn.Parent() != nil {
		return
	}
	next := *c
	next.Up = c
	next.Fn, next.params, next.free = fn, c.mask(call.Common().Args), 0
	w.function(&next)
}

// few is how many implementations of an interface are followed: of more nobody can
// say which one a handler has.
const few = 3

// implementations follows a call of a method of the package's own interface to the
// package's types that implement it.
func (w *walker) implementations(c *Context, call *ssa.CallCommon) {
	fns := w.calls.Targets(call)
	if len(fns) > few || libs.Path(call.Value.Type()) != w.pkg.Pkg.Path() || !c.Shared(call.Value) {
		return
	}
	for _, fn := range fns {
		next := *c
		next.Up, next.Virtual = c, true
		next.Fn, next.params, next.free = fn, 1|c.mask(call.Args)<<1, 0
		w.function(&next)
	}
}

func (c *Context) mask(vals []ssa.Value) uint64 {
	var m uint64
	for i, v := range vals {
		if i < 64 && c.Shared(v) {
			m |= 1 << i
		}
	}
	return m
}
