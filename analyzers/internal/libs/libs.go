// Package libs holds what the analyzers know about other people's packages, as
// tables: one row says what one function or method does with its arguments.
// Adding a library is adding rows.
//
// It is data and a lookup; it judges nothing and reads no code.
package libs

import (
	"go/types"
	"slices"
	"strings"
	"sync"
)

// Op is what a call does.
type Op string

// The operations on databases. A Query answers with rows, an Exec with a
// number of rows; both are named by the SQL text they carry.
const (
	Query    Op = "sql.query"
	Exec     Op = "sql.exec"
	Begin    Op = "sql.begin"
	Commit   Op = "sql.commit"
	Rollback Op = "sql.rollback"
	Conn     Op = "sql.conn"    // takes one connection out of the pool
	Release  Op = "sql.release" // gives it back
	Prepare  Op = "sql.prepare" // the result carries the SQL text
	Scan     Op = "sql.scan"    // copies the columns of an answer into its arguments
	Pass     Op = "pass"        // the first result is the receiver or the first argument in another dress
	Build    Op = "sql.build"   // adds a clause to a statement under construction
	Calls    Op = "call"        // does nothing but call its function argument
)

// Handle is what a statement runs on.
type Handle uint8

// The handles. AnyHandle can be each of them: an interface, a *gorm.DB.
const (
	NoHandle Handle = iota
	AnyHandle
	Pool // every statement may get another connection, and commits by itself
	Tx
	Pinned // one connection outside of a transaction
)

func (h Handle) String() string {
	return [...]string{"", "handle", "pool", "transaction", "connection"}[h]
}

// None says that a row has no such argument.
const None = -1

// Row is one function or method. Arguments are counted from 0 without the
// receiver. The zero value of an argument number means the first argument, so
// rows are made with the constructors of this package.
type Row struct {
	Path string // import path of the package that declares it
	Type string // of the receiver, without package and pointer; "" for a function
	Name string
	Op   Op

	On   int // argument that is the handle, map, file …; None: the receiver
	Key  int // argument that names the row, key or path, or holds the SQL text
	Val  int // argument that is stored
	Args int // first of the bound values
	Dest int // argument (or first of them) that receives the answer
	Fn   int // argument that is called, with the transaction among its parameters

	// Note tells apart what the Op does not: the clause that a Build adds, the
	// isolation level of a Begin, "first" for a query that wants one row.
	Note string
	// Word is what a generated method says by its name: a type or a field.
	Word string
}

// New is a row without arguments.
func New(path, typ, name string, op Op) Row {
	return Row{Path: path, Type: typ, Name: name, Op: op, On: None, Key: None, Val: None, Args: None, Dest: None, Fn: None}
}

// index is all rows, by the full name of what they describe, and the packages
// that declare these. Rows are made when they are first asked for: go vet starts
// a process for each package.
type index struct {
	rows  map[string]*Row
	names map[string][]*Row // by path and name, whatever the type
	paths map[string]bool
}

var tables = sync.OnceValue(func() index {
	x := index{map[string]*Row{}, map[string][]*Row{}, map[string]bool{}}
	rows := all()
	for i := range rows {
		r := &rows[i]
		x.rows[r.Path+"."+r.Type+"."+r.Name] = r
		x.names[r.Path+"."+r.Name] = append(x.names[r.Path+"."+r.Name], r)
		x.paths[r.Path] = true
	}
	return x
})

func all() []Row {
	return slices.Concat(
		stdRows(), pgxRows(), sqlxRows(), gormRows(), bunRows(), squirrelRows(), goquRows(), xormRows(),
		redisRows(), rueidisRows(), wordRows(), etcdRows(), memcacheRows(), lockRows(), cacheRows(),
		syncRows, atomicRows(), fileRows, webRows, sortRows(),
	)
}

// Known reports whether a package is one that the tables describe, or below one
// of another host.
func Known(path string) bool {
	paths := tables().paths
	if paths[path] {
		return true
	}
	for i, c := range path {
		if c == '/' && strings.Contains(path[:i], ".") && paths[path[:i]] {
			return true
		}
	}
	return false
}

// Lookup returns the row of a function or method, or nil.
func Lookup(f *types.Func) *Row {
	if f == nil || f.Pkg() == nil {
		return nil
	}
	if r := tables().rows[f.Pkg().Path()+"."+Receiver(f)+"."+f.Name()]; r != nil {
		return r
	}
	return entRow(f)
}

// Resembling returns the row of a library's method that a method of an interface
// repeats: applications declare the part of a client that they need. It is nil
// unless the signatures are equal and have a type of the library in them.
func Resembling(f *types.Func) *Row {
	for _, vars := range []*types.Tuple{f.Signature().Results(), f.Signature().Params()} {
		if vars.Len() == 0 {
			continue
		}
		for _, r := range tables().names[Path(vars.At(0).Type())+"."+f.Name()] {
			if t := neighbour(vars.At(0).Type(), r.Type); t != nil && repeats(f, t) {
				return r
			}
		}
	}
	return nil
}

// neighbour is a type of the package that declares another type, nil when it has
// none of that name.
func neighbour(beside types.Type, name string) types.Type {
	if p, ok := types.Unalias(beside).(*types.Pointer); ok {
		beside = p.Elem()
	}
	n, ok := types.Unalias(beside).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	if obj := n.Obj().Pkg().Scope().Lookup(name); obj != nil {
		return obj.Type()
	}
	return nil
}

// repeats reports whether a type has the method, with the same signature.
func repeats(f *types.Func, t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, f.Pkg(), f.Name())
	m, ok := obj.(*types.Func)
	return ok && types.Identical(types.NewSignatureType(nil, nil, nil, f.Signature().Params(), f.Signature().Results(), f.Signature().Variadic()),
		types.NewSignatureType(nil, nil, nil, m.Signature().Params(), m.Signature().Results(), m.Signature().Variadic()))
}

// Receiver is the name of the type that a method belongs to, "" for a function.
func Receiver(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return ""
	}
	return TypeName(recv.Type())
}

// IsContext reports whether a type is context.Context.
func IsContext(t types.Type) bool { return Path(t)+"."+TypeName(t) == "context.Context" }

// TypeName is the name of a type without package, pointer and type arguments.
func TypeName(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// Path is the import path of the package that declares the type, or "".
func Path(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil {
		return strings.TrimPrefix(n.Obj().Pkg().Path(), "vendor/")
	}
	return ""
}
