package growth

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
	"github.com/ccheck/ccheck/analyzers/internal/served"
)

// clientName: what tells one client from another, in the names of accessors,
// fields and parameters.
var clientName = regexp.MustCompile(`(?i)remoteaddr|realip|clientip|\bip\b|\.IP\(|addr|cookie|header|useragent|user|e_?mail|phone|fingerprint|api_?key|customer|guest|subscriber|session|token|visitor|client|peer|account|tenant|device|\bwho\b|URL\.(Raw)?Path|RequestURI|URL\.String`)

// client tells whether the key names a client: everybody who comes adds one.
func client(key ssa.Value) bool {
	if slices.ContainsFunc(fields(key, 0), client) {
		return true
	}
	if clientName.MatchString(place.Of(key).String()) {
		return true
	}
	p, ok := place.Base(key).(*ssa.Parameter)
	if !ok {
		p, ok = key.(*ssa.Parameter)
	}
	return ok && clientName.MatchString(p.Name())
}

// fields are what a structure that was just written out is made of.
func fields(v ssa.Value, depth int) (out []ssa.Value) {
	load, ok := v.(*ssa.UnOp)
	if !ok || depth > 4 {
		return nil
	}
	made, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	if whole, ok := place.Assigned(made).(*ssa.UnOp); ok {
		return fields(whole, depth+1)
	}
	for _, r := range *made.Referrers() {
		if fa, ok := r.(*ssa.FieldAddr); ok {
			for _, u := range *fa.Referrers() {
				if st, ok := u.(*ssa.Store); ok && st.Addr == ssa.Value(fa) {
					out = append(out, st.Val)
				}
			}
		}
	}
	return out
}

// incoming are functions that answer with what the caller of a gRPC method sent.
var incoming = regexp.MustCompile(`^google\.golang\.org/grpc/(metadata\.(From|ValueFrom)IncomingContext|peer\.FromContext)$`)

// chosen tells whether a key was read from a request, here or where all that call
// this function take it from: whoever sends it chooses the key.
func (j *judge) chosen(v ssa.Value, depth int) bool {
	if depth > 8 || v == nil {
		return false
	}
	if libs.Request(v.Type()) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Call:
		return incoming.MatchString(place.CalleeName(v.Common())) || slices.ContainsFunc(append(v.Call.Args[:len(v.Call.Args):len(v.Call.Args)], v.Call.Value), func(a ssa.Value) bool { return j.chosen(a, depth+1) })
	case *ssa.BinOp:
		return j.chosen(v.X, depth+1) || j.chosen(v.Y, depth+1)
	case *ssa.Parameter:
		return j.handedChosen(v, depth)
	}
	return j.chosen(place.Base(v), depth+1)
}

// handedChosen tells whether every call that is known hands over such a key.
func (j *judge) handedChosen(p *ssa.Parameter, depth int) bool {
	args, all := j.calls.Args(p)
	return all && !slices.ContainsFunc(args, func(a ssa.Value) bool { return !j.chosen(a, depth+1) })
}

// pinned tells whether the key was found equal to a constant on every way to where it
// is added: the program has only so many of those.
func pinned(g growing) bool {
	for b := g.in.Block(); b.Idom() != nil; b = b.Idom() {
		up := b.Idom()
		br, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok || up.Succs[0] != b || len(b.Preds) != 1 {
			continue
		}
		eq, ok := br.Cond.(*ssa.BinOp)
		if !ok || eq.Op != token.EQL || eq.X != g.key {
			continue
		}
		if _, constant := eq.Y.(*ssa.Const); constant {
			return true
		}
	}
	return false
}

// listed tells whether a key is an entry of a map, here or where all that call this
// function take it from: whoever asks can choose among the entries, and adds none.
func (j *judge) listed(v ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return v.Index == 0 && j.listed(v.Tuple, depth+1)
	case *ssa.Lookup:
		_, ok := v.X.Type().Underlying().(*types.Map)
		return ok
	case *ssa.Parameter:
		args, all := j.calls.Args(v)
		return all && j.calls.Closed(v.Parent()) && !slices.ContainsFunc(args, func(a ssa.Value) bool { return !j.listed(a, depth+1) })
	}
	return false
}

// wired tells whether the program gave the key when it made the handler: there are as
// many keys as handlers.
func (j *judge) wired(handler *ssa.Function, v ssa.Value, depth int) bool {
	if v == nil || depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.FreeVar:
		return v.Parent() == handler && !requested(handler.Parent())
	case *ssa.UnOp:
		fv, ok := v.X.(*ssa.FreeVar)
		return ok && j.wired(handler, fv, depth+1) && !assigned(fv)
	case *ssa.BinOp:
		return j.wired(handler, v.X, depth+1) && j.wired(handler, v.Y, depth+1)
	case *ssa.Parameter:
		args, all := j.calls.Args(v)
		if !all || !j.calls.Closed(v.Parent()) {
			return false
		}
		for _, a := range args {
			if !j.wired(handler, a, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// assigned tells whether a function literal sets a variable that it captured.
func assigned(fv *ssa.FreeVar) bool {
	for _, r := range *fv.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(fv) {
			return true
		}
	}
	return false
}

// requested tells whether a function has a request, which its literals then capture.
func requested(fn *ssa.Function) bool { return fn == nil || served.Takes(fn) }
