package served

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ccheck/ccheck/analyzers/internal/cfg"
	"github.com/ccheck/ccheck/analyzers/internal/libs"
	"github.com/ccheck/ccheck/analyzers/internal/place"
)

// service tells whether fn is a method of a gRPC service: of a type that
// embeds the generated Unimplemented…Server, or one that takes a generated
// message or stream.
func service(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil || fn.Object() == nil || !fn.Object().Exported() {
		return false
	}
	if rpc(fn.Signature) && message(fn.Signature.Params().At(1).Type()) {
		return true
	}
	st, ok := pointed(recv.Type()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		name := libs.TypeName(f.Type())
		if f.Embedded() && strings.HasPrefix(name, "Unimplemented") && strings.HasSuffix(name, "Server") {
			return true
		}
	}
	return false
}

// generated is the sort of server whose generated code calls a method, "" for none: a
// strict server of oapi-codegen takes a RequestObject and answers with a
// ResponseObject; the resolvers of gqlgen embed the Resolver that all requests share.
func generated(fn *ssa.Function) string {
	sig := fn.Signature
	if sig.Recv() == nil || fn.Object() == nil || !fn.Object().Exported() || sig.Params().Len() == 0 || !libs.IsContext(sig.Params().At(0).Type()) {
		return ""
	}
	if sig.Params().Len() == 2 && sig.Results().Len() == 2 && strings.HasSuffix(libs.TypeName(sig.Params().At(1).Type()), "RequestObject") &&
		strings.HasSuffix(libs.TypeName(sig.Results().At(0).Type()), "ResponseObject") {
		return "HTTP"
	}
	st, ok := pointed(sig.Recv().Type()).Underlying().(*types.Struct)
	if ok && st.NumFields() == 1 && st.Field(0).Embedded() && st.Field(0).Name() == "Resolver" && strings.HasSuffix(libs.TypeName(sig.Recv().Type()), "Resolver") {
		return "GraphQL"
	}
	return ""
}

// rpc tells whether a method looks like a unary one of a service: (context,
// *Request) (*Response, error), without the options that a client's has.
func rpc(sig *types.Signature) bool {
	if sig.Params().Len() != 2 || sig.Results().Len() != 2 || sig.Variadic() {
		return false
	}
	return libs.IsContext(sig.Params().At(0).Type()) && structPointer(sig.Params().At(1).Type()) &&
		structPointer(sig.Results().At(0).Type()) && sig.Results().At(1).Type().String() == "error"
}

// call tells whether a method looks like one of a service of net/rpc: (args,
// *Reply) error.
func call(sig *types.Signature) bool {
	if sig.Params().Len() != 2 || sig.Results().Len() != 1 || sig.Results().At(0).Type().String() != "error" {
		return false
	}
	_, reply := sig.Params().At(1).Type().Underlying().(*types.Pointer)
	return reply && !libs.IsContext(sig.Params().At(0).Type())
}

func structPointer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

// message tells whether a type was made by protoc.
func message(t types.Type) bool {
	ms := types.NewMethodSet(t)
	for i := range ms.Len() {
		if name := ms.At(i).Obj().Name(); name == "ProtoReflect" || name == "ProtoMessage" {
			return true
		}
	}
	return false
}

func pointed(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// registered are the kinds of service by the types that the package hands to a
// server by hand.
func registered(fns []*ssa.Function) map[*types.TypeName]string {
	found := map[*types.TypeName]string{}
	for _, fn := range fns {
		cfg.Each(fn, func(in ssa.Instruction) {
			c, ok := in.(ssa.CallInstruction)
			if !ok {
				return
			}
			kind := registers(place.CalleeName(c.Common()))
			if kind == "" {
				return
			}
			for _, a := range c.Common().Args {
				mi, ok := a.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				if n, ok := types.Unalias(pointed(mi.X.Type())).(*types.Named); ok && n.Obj().Pkg() == fn.Pkg.Pkg {
					found[n.Obj()] = kind
				}
			}
		})
	}
	return found
}

// registers tells which kind of service a function registers, "" for none.
func registers(name string) string {
	switch name {
	case "(*google.golang.org/grpc.Server).RegisterService", "(google.golang.org/grpc.ServiceRegistrar).RegisterService":
		return "gRPC"
	case "net/rpc.Register", "net/rpc.RegisterName", "(*net/rpc.Server).Register", "(*net/rpc.Server).RegisterName":
		return "RPC"
	}
	return ""
}

// byHand is the sort of service that the type of a method was registered as, ""
// when it was not or the method does not look like one of a service.
func byHand(fn *ssa.Function, services map[*types.TypeName]string) string {
	recv := fn.Signature.Recv()
	if recv == nil || fn.Object() == nil || !fn.Object().Exported() {
		return ""
	}
	n, ok := types.Unalias(pointed(recv.Type())).(*types.Named)
	if !ok {
		return ""
	}
	switch kind := services[n.Obj()]; {
	case kind == "gRPC" && rpc(fn.Signature), kind == "RPC" && call(fn.Signature):
		return kind
	}
	return ""
}
