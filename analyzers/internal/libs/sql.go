package libs

import "go/types"

// stmt is a method that runs the SQL text in argument n with the bound values
// after it.
func stmt(path, typ, name string, op Op, n int) Row {
	r := New(path, typ, name, op)
	r.Key, r.Args = n, n+1
	return r
}

// into is such a method that also copies the answer into argument dest.
func into(path, typ, name string, dest, n int) Row {
	r := stmt(path, typ, name, Query, n)
	r.Dest = dest
	return r
}

// named is such a method whose parameters are the fields of argument n+1.
func named(path, typ, name string, op Op, n int) Row {
	r := stmt(path, typ, name, op, n)
	r.Note = "named"
	return r
}

// scan copies the answer on the receiver into its arguments from dest on.
func scan(path, typ, name string, dest int) Row {
	r := New(path, typ, name, Scan)
	r.Dest = dest
	return r
}

// begin opens a transaction; opts is the argument with the isolation level, fn
// the function that gets it.
func begin(path, typ, name string, on, opts, fn int) Row {
	r := New(path, typ, name, Begin)
	r.On, r.Key, r.Fn = on, opts, fn
	return r
}

const (
	pgx     = "github.com/jackc/pgx/v5"
	pgxpool = "github.com/jackc/pgx/v5/pgxpool"
	sqlx    = "github.com/jmoiron/sqlx"
	dbsql   = "database/sql"
)

func stdRows() []Row {
	var rows []Row
	for _, t := range []string{"DB", "Tx", "Conn"} {
		rows = append(rows,
			stmt(dbsql, t, "Query", Query, 0), stmt(dbsql, t, "QueryContext", Query, 1),
			stmt(dbsql, t, "QueryRow", Query, 0), stmt(dbsql, t, "QueryRowContext", Query, 1),
			stmt(dbsql, t, "Exec", Exec, 0), stmt(dbsql, t, "ExecContext", Exec, 1),
			stmt(dbsql, t, "Prepare", Prepare, 0), stmt(dbsql, t, "PrepareContext", Prepare, 1),
			begin(dbsql, t, "BeginTx", None, 1, None), on(dbsql, t, "Begin", Begin), on(dbsql, t, "Conn", Conn),
		)
	}
	for _, s := range []struct {
		name string
		op   Op
		args int
	}{{"Query", Query, 0}, {"QueryContext", Query, 1}, {"QueryRow", Query, 0}, {"QueryRowContext", Query, 1}, {"Exec", Exec, 0}, {"ExecContext", Exec, 1}} {
		r := New(dbsql, "Stmt", s.name, s.op)
		r.Args, r.Note = s.args, "prepared"
		rows = append(rows, r)
	}
	return append(rows,
		scan(dbsql, "Row", "Scan", 0), scan(dbsql, "Rows", "Scan", 0), on(dbsql, "Conn", "Close", Release),
		on(dbsql, "Tx", "Commit", Commit), on(dbsql, "Tx", "Rollback", Rollback),
		passing(dbsql, "Tx", "Stmt", 0), passing(dbsql, "Tx", "StmtContext", 1))
}

// passing hands argument n on as its result; None stands for the receiver.
func passing(path, typ, name string, n int) Row {
	r := New(path, typ, name, Pass)
	r.On = n
	return r
}

func pgxRows() []Row {
	var rows []Row
	for _, t := range [][2]string{{pgx, "Tx"}, {pgx, "Conn"}, {pgxpool, "Pool"}, {pgxpool, "Conn"}, {pgxpool, "Tx"}} {
		rows = append(rows,
			stmt(t[0], t[1], "Query", Query, 1), stmt(t[0], t[1], "QueryRow", Query, 1), stmt(t[0], t[1], "Exec", Exec, 1),
			on(t[0], t[1], "Begin", Begin), begin(t[0], t[1], "BeginTx", None, 1, None),
			begin(t[0], t[1], "BeginFunc", None, None, 1), begin(t[0], t[1], "BeginTxFunc", None, 1, 2),
			on(t[0], t[1], "Commit", Commit), on(t[0], t[1], "Rollback", Rollback))
	}
	acquire := New(pgxpool, "Pool", "AcquireFunc", Conn)
	acquire.Fn = 1
	return append(rows,
		begin(pgx, "", "BeginFunc", 1, None, 2), begin(pgx, "", "BeginTxFunc", 1, 2, 3),
		scan(pgx, "Row", "Scan", 0), scan(pgx, "Rows", "Scan", 0), forEach(),
		on(pgxpool, "Pool", "Acquire", Conn), acquire, on(pgxpool, "Conn", "Release", Release), on(pgxpool, "Conn", "Hijack", Pass),
		passing(pgxpool, "Conn", "Conn", None), passing(pgx, "Tx", "Conn", None),
		stmt(pgx, "Batch", "Queue", Exec, 0))
}

// forEach scans into the slice of destinations that is its second argument.
func forEach() Row {
	r := scan(pgx, "", "ForEachRow", 1)
	r.On, r.Fn = 0, 2
	return r
}

func sqlxRows() []Row {
	var rows []Row
	for _, t := range []string{"DB", "Tx", "Conn"} {
		rows = append(rows,
			into(sqlx, t, "Get", 0, 1), into(sqlx, t, "GetContext", 1, 2), into(sqlx, t, "Select", 0, 1), into(sqlx, t, "SelectContext", 1, 2),
			stmt(sqlx, t, "Queryx", Query, 0), stmt(sqlx, t, "QueryxContext", Query, 1),
			stmt(sqlx, t, "QueryRowx", Query, 0), stmt(sqlx, t, "QueryRowxContext", Query, 1),
			stmt(sqlx, t, "MustExec", Exec, 0), stmt(sqlx, t, "MustExecContext", Exec, 1),
			named(sqlx, t, "NamedExec", Exec, 0), named(sqlx, t, "NamedExecContext", Exec, 1),
			named(sqlx, t, "NamedQuery", Query, 0), named(sqlx, t, "NamedQueryContext", Query, 1),
			stmt(sqlx, t, "Preparex", Prepare, 0), stmt(sqlx, t, "PreparexContext", Prepare, 1),
			on(sqlx, t, "Beginx", Begin), on(sqlx, t, "MustBegin", Begin), begin(sqlx, t, "BeginTxx", None, 1, None), begin(sqlx, t, "MustBeginTx", None, 1, None),
			on(sqlx, t, "Connx", Conn), passing(sqlx, t, "Rebind", 0), passing(sqlx, t, "Unsafe", None))
	}
	for _, f := range []string{"Get", "Select"} {
		plain, ctx := into(sqlx, "", f, 1, 2), into(sqlx, "", f+"Context", 2, 3)
		plain.On, ctx.On = 0, 1
		rows = append(rows, plain, ctx)
	}
	exec, execCtx := named(sqlx, "", "NamedExec", Exec, 1), named(sqlx, "", "NamedExecContext", Exec, 2)
	exec.On, execCtx.On = 0, 1
	return append(rows, exec, execCtx,
		scan(sqlx, "Row", "Scan", 0), scan(sqlx, "Row", "StructScan", 0), scan(sqlx, "Row", "MapScan", 0), scan(sqlx, "Rows", "StructScan", 0),
		passing(sqlx, "", "Rebind", 1), passing(sqlx, "", "In", 0))
}

// handles are the types that statements run on.
var handles = map[string]Handle{
	dbsql + ".DB": Pool, dbsql + ".Tx": Tx, dbsql + ".Conn": Pinned,
	pgx + ".Tx": Tx, pgx + ".Conn": Pinned, pgxpool + ".Pool": Pool, pgxpool + ".Conn": Pinned, pgxpool + ".Tx": Tx,
	sqlx + ".DB": Pool, sqlx + ".Tx": Tx, sqlx + ".Conn": Pinned,
	bunPath + ".DB": Pool, bunPath + ".Tx": Tx, bunPath + ".Conn": Pinned, bunPath + ".IDB": AnyHandle, gormPath + ".DB": AnyHandle,
	goqu + ".Database": Pool, goqu + ".TxDatabase": Tx, xorm + ".Engine": Pool, xorm + ".EngineGroup": Pool, xorm + ".Session": AnyHandle,
}

// HandleOf says what kind of handle a type is; NoHandle for every other type.
func HandleOf(t types.Type) Handle {
	if h := handles[Path(t)+"."+TypeName(t)]; h != NoHandle {
		return h
	}
	return entHandle(t)
}

// answers are the types of what a statement answers; a method that takes a
// string and returns one of them runs a statement, whatever its type is called.
var answers = map[string]Op{
	dbsql + ".Rows": Query, dbsql + ".Row": Query, dbsql + ".Result": Exec,
	pgx + ".Rows": Query, pgx + ".Row": Query, "github.com/jackc/pgx/v5/pgconn.CommandTag": Exec,
	sqlx + ".Rows": Query, sqlx + ".Row": Query,
}

// Sort puts the elements of its argument in order.
const Sort Op = "sort"

func sortRows() []Row {
	var rows []Row
	for _, f := range [][2]string{
		{"slices", "Sort"}, {"slices", "SortFunc"}, {"slices", "SortStableFunc"}, {"sort", "Slice"}, {"sort", "SliceStable"}, {"sort", "Sort"}, {"sort", "Stable"},
		{"sort", "Ints"}, {"sort", "Strings"}, {"sort", "Float64s"},
	} {
		r := New(f[0], "", f[1], Sort)
		r.On = 0
		rows = append(rows, r)
	}
	return rows
}
