package openrows

import (
	"go/types"
	"slices"
	"strings"
)

// resource is a kind of value that holds a connection until it is given back.
type resource struct {
	path, name string
	what       string   // in messages
	usual      string   // what people call the variable
	closes     []string // methods that give it back, whatever they return
	reads      string   // a false answer of this method gives it back too
	// failing is a method that gives it back when it returns an error.
	failing string
	defers  string // the statement that mends, %s for the variable
}

// From the documentation of database/sql, sqlx and pgx: Next closes rows at
// their end, pgx's Scan closes them when it fails, and Commit and Rollback end a
// transaction whatever they return.
var resources = []resource{
	{"database/sql", "Rows", "rows", "rows", []string{"Close"}, "Next", "", "defer %s.Close()"},
	{"database/sql", "Stmt", "statement", "stmt", []string{"Close"}, "", "", "defer %s.Close()"},
	{"database/sql", "Conn", "connection", "conn", []string{"Close"}, "", "", "defer %s.Close()"},
	{"database/sql", "Tx", "transaction", "tx", []string{"Commit", "Rollback"}, "", "", ""},
	{"github.com/jmoiron/sqlx", "Rows", "rows", "rows", []string{"Close"}, "Next", "", "defer %s.Close()"},
	{"github.com/jmoiron/sqlx", "Stmt", "statement", "stmt", []string{"Close"}, "", "", "defer %s.Close()"},
	{"github.com/jmoiron/sqlx", "NamedStmt", "statement", "stmt", []string{"Close"}, "", "", "defer %s.Close()"},
	{"github.com/jmoiron/sqlx", "Conn", "connection", "conn", []string{"Close"}, "", "", "defer %s.Close()"},
	{"github.com/jmoiron/sqlx", "Tx", "transaction", "tx", []string{"Commit", "Rollback"}, "", "", ""},
	{"github.com/jackc/pgx/v5", "Rows", "rows", "rows", []string{"Close"}, "Next", "Scan", "defer %s.Close()"},
	{"github.com/jackc/pgx/v5", "BatchResults", "batch results", "results", []string{"Close"}, "", "", "defer %s.Close()"},
	{"github.com/jackc/pgx/v5", "Tx", "transaction", "tx", []string{"Commit", "Rollback"}, "", "", ""},
	{"github.com/jackc/pgx/v5/pgxpool", "Conn", "connection", "conn", []string{"Release", "Hijack"}, "", "", "defer %s.Release()"},
	{"github.com/jackc/pgx/v5/pgxpool", "Tx", "transaction", "tx", []string{"Commit", "Rollback"}, "", "", ""},
}

// resourceOf returns what a type is, nil for most.
func resourceOf(t types.Type) *resource {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	path := n.Obj().Pkg().Path()
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	i := slices.IndexFunc(resources, func(r resource) bool { return r.path == path && r.name == n.Obj().Name() })
	if i < 0 {
		return nil
	}
	return &resources[i]
}

// relevant reports whether a package can see a resource at all: go vet starts a
// process for every package, and most have nothing to do with databases.
func relevant(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool {
		return slices.ContainsFunc(resources, func(r resource) bool { return p.Path() == r.path })
	})
}
