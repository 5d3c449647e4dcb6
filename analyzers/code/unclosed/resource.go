package unclosed

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
	opens      []string // how the names of the methods begin that return one, as opposed to getters
	closes     []string // methods that give it back, whatever they return
	reads      string   // a false answer of this method gives it back too
	failing    string   // a method that gives it back when it returns an error
	body       string   // field that has the method instead of the value itself
}

var (
	query   = []string{"Query", "NamedQuery"}
	prepare = []string{"Prepare", "PreparedStmt"}
	begin   = []string{"Begin", "MustBegin"}
	end     = []string{"Commit", "Rollback"}
	closing = []string{"Close"}
)

// From the documentation of database/sql, sqlx, pgx and net/http: Next closes
// rows at their end, pgx's Scan closes them when it fails, Commit and Rollback
// end a transaction whatever they return, and the caller closes a response.
var resources = []resource{
	{path: "database/sql", name: "Rows", what: "rows", usual: "rows", opens: []string{"Query", "NamedQuery", "Rows"}, closes: closing, reads: "Next"},
	{path: "database/sql", name: "Stmt", what: "statement", usual: "stmt", opens: prepare, closes: closing},
	{path: "database/sql", name: "Conn", what: "connection", usual: "conn", opens: []string{"Conn"}, closes: closing},
	{path: "database/sql", name: "Tx", what: "transaction", usual: "tx", opens: begin, closes: end},
	{path: "github.com/jmoiron/sqlx", name: "Rows", what: "rows", usual: "rows", opens: query, closes: closing, reads: "Next"},
	{path: "github.com/jmoiron/sqlx", name: "Stmt", what: "statement", usual: "stmt", opens: prepare, closes: closing},
	{path: "github.com/jmoiron/sqlx", name: "NamedStmt", what: "statement", usual: "stmt", opens: prepare, closes: closing},
	{path: "github.com/jmoiron/sqlx", name: "Conn", what: "connection", usual: "conn", opens: []string{"Conn"}, closes: closing},
	{path: "github.com/jmoiron/sqlx", name: "Tx", what: "transaction", usual: "tx", opens: begin, closes: end},
	{path: "github.com/jackc/pgx/v5", name: "Rows", what: "rows", usual: "rows", opens: query, closes: closing, reads: "Next", failing: "Scan"},
	{path: "github.com/jackc/pgx/v5", name: "BatchResults", what: "batch results", usual: "results", opens: []string{"SendBatch"}, closes: closing},
	{path: "github.com/jackc/pgx/v5", name: "Tx", what: "transaction", usual: "tx", opens: begin, closes: end},
	{path: "github.com/jackc/pgx/v5/pgxpool", name: "Conn", what: "connection", usual: "conn", opens: []string{"Acquire"}, closes: []string{"Release", "Hijack"}},
	{path: "github.com/jackc/pgx/v5/pgxpool", name: "Tx", what: "transaction", usual: "tx", opens: begin, closes: end},
	{path: "net/http", name: "Response", what: "response", usual: "resp", opens: []string{"Do", "Get", "Post", "Head", "RoundTrip"}, closes: closing, body: "Body"},
}

// opener reports whether a function of that name opens one.
func (r *resource) opener(name string) bool {
	return !strings.HasPrefix(name, "QueryRow") && slices.ContainsFunc(r.opens, func(o string) bool { return strings.HasPrefix(name, o) })
}

// watches reports whether the end of the context gives it back: database/sql rolls
// a transaction back, and closes rows, when the context they began with is over
// (DB.BeginTx, DB.QueryContext). pgx and net/http ask for a Close all the same.
func (r *resource) watches() bool {
	return (r.path == "database/sql" || r.path == "github.com/jmoiron/sqlx") && (r.name == "Tx" || r.name == "Rows")
}

// defers is the statement that gives it back, "" where there is no single one.
func (r *resource) defers(variable string) string {
	switch {
	case r.what == "transaction":
		return ""
	case r.body != "":
		variable += "." + r.body
	}
	return "defer " + variable + "." + r.closes[0] + "()"
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
		return slices.Contains(wrappers, p.Path()) || slices.ContainsFunc(resources, func(r resource) bool { return p.Path() == r.path })
	})
}

// readers are the packages whose functions read what they are given and leave it
// open.
var readers = []string{"io", "io/ioutil", "bufio", "fmt", "encoding/json", "encoding/xml", "encoding/csv", "encoding/gob", "compress/gzip", "net/http/httputil"}
