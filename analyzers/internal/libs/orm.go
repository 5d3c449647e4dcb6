package libs

const (
	gormPath = "gorm.io/gorm"
	bunPath  = "github.com/uptrace/bun"
	squirrel = "github.com/Masterminds/squirrel"
)

// clause is a builder's method: Note says which part of the statement its
// arguments are, Key the first of them.
func clause(path, typ, name, note string) Row {
	r := New(path, typ, name, Build)
	r.Key, r.Note = 0, note
	return r
}

// finish runs the statement that the receiver has collected: verb is its kind,
// model the argument that names the table and gets the answer.
func finish(path, typ, name string, op Op, verb string, model int) Row {
	r := New(path, typ, name, op)
	r.Dest, r.Note = model, verb
	return r
}

func gormRows() []Row {
	db := func(name, note string) Row { return clause(gormPath, "DB", name, note) }
	run := func(name string, op Op, verb string, model int) Row {
		return finish(gormPath, "DB", name, op, verb, model)
	}
	rows := []Row{
		db("Model", "model"), db("Table", "table"), db("Where", "where"), db("Or", "or"), db("Not", "not"), db("Select", "columns"), db("Clauses", "clauses"),
		db("Order", "order"), db("Limit", "limit"), db("Joins", "joins"), db("Set", "option"), db("Raw", "raw"), db("Group", "group"), db("Having", "having"), db("Scopes", "scopes"),
		run("First", Query, "first", 0), run("Take", Query, "first", 0), run("Last", Query, "first", 0), run("Find", Query, "find", 0),
		run("Scan", Query, "scan", 0), run("Pluck", Query, "pluck", 1), run("Count", Query, "count", 0), run("Row", Query, "row", None), run("Rows", Query, "row", None),
		run("Create", Exec, "insert", 0), run("CreateInBatches", Exec, "insert", 0), run("Save", Exec, "save", 0), run("Delete", Exec, "delete", 0),
		run("Update", Exec, "set", None), run("UpdateColumn", Exec, "set", None), run("Updates", Exec, "sets", None), run("UpdateColumns", Exec, "sets", None),
		run("FirstOrCreate", Query, "firstorcreate", 0), run("FirstOrInit", Query, "first", 0),
		stmt(gormPath, "DB", "Exec", Exec, 0), on(gormPath, "DB", "Commit", Commit), on(gormPath, "DB", "Rollback", Rollback),
		begin(gormPath, "DB", "Begin", None, 0, None), begin(gormPath, "DB", "Transaction", None, 1, 0),
	}
	for _, name := range []string{"WithContext", "Session", "Debug", "Unscoped", "Preload", "Omit", "Offset", "Distinct", "Assign", "Attrs", "InnerJoins"} {
		rows = append(rows, db(name, "none"))
	}
	return rows
}

func bunRows() []Row {
	var rows []Row
	for _, t := range []string{"DB", "Tx", "Conn", "IDB"} {
		rows = append(rows,
			clause(bunPath, t, "NewSelect", "select"), clause(bunPath, t, "NewInsert", "insert"), clause(bunPath, t, "NewUpdate", "update"),
			clause(bunPath, t, "NewDelete", "delete"), clause(bunPath, t, "NewRaw", "raw"),
			begin(bunPath, t, "RunInTx", None, 1, 2), begin(bunPath, t, "BeginTx", None, 1, None), on(bunPath, t, "Begin", Begin),
			stmt(bunPath, t, "ExecContext", Exec, 1), stmt(bunPath, t, "QueryContext", Query, 1), stmt(bunPath, t, "QueryRowContext", Query, 1),
			stmt(bunPath, t, "Exec", Exec, 0), stmt(bunPath, t, "Query", Query, 0), stmt(bunPath, t, "QueryRow", Query, 0),
			on(bunPath, t, "Commit", Commit), on(bunPath, t, "Rollback", Rollback))
	}
	for _, t := range []string{"SelectQuery", "InsertQuery", "UpdateQuery", "DeleteQuery"} {
		for _, c := range [][2]string{
			{"Model", "model"}, {"Table", "table"}, {"TableExpr", "table"}, {"ModelTableExpr", "table"}, {"Column", "columns"}, {"ColumnExpr", "columns"}, {"Where", "where"}, {"WhereOr", "or"},
			{"WherePK", "wherepk"}, {"WhereGroup", "none"}, {"Set", "set"}, {"SetColumn", "setcolumn"}, {"Value", "value"}, {"For", "for"}, {"On", "on"}, {"Ignore", "ignore"}, {"Order", "order"},
			{"OrderExpr", "order"}, {"Limit", "limit"}, {"Offset", "none"}, {"Returning", "returning"}, {"Join", "joins"}, {"JoinOn", "none"}, {"Relation", "none"}, {"Conn", "handle"}, {"OmitZero", "none"},
			{"Apply", "none"}, {"Group", "group"}, {"GroupExpr", "group"}, {"Having", "having"}, {"ExcludeColumn", "none"}, {"Distinct", "none"}, {"Bulk", "none"},
		} {
			rows = append(rows, clause(bunPath, t, c[0], c[1]))
		}
	}
	for _, t := range []string{"InsertQuery", "UpdateQuery", "DeleteQuery"} {
		rows = append(rows, finish(bunPath, t, "Exec", Exec, "exec", None), finish(bunPath, t, "Scan", Query, "scan", 1))
	}
	return append(rows,
		finish(bunPath, "SelectQuery", "Scan", Query, "scan", 1), finish(bunPath, "SelectQuery", "Count", Query, "count", None),
		finish(bunPath, "SelectQuery", "Exists", Query, "exists", None), finish(bunPath, "SelectQuery", "ScanAndCount", Query, "scan", 1),
		finish(bunPath, "RawQuery", "Scan", Query, "scan", 1), finish(bunPath, "RawQuery", "Exec", Exec, "exec", None))
}

func squirrelRows() []Row {
	var rows []Row
	for name, verb := range map[string]string{"Select": "select", "Insert": "insert", "Update": "update", "Delete": "delete"} {
		rows = append(rows, clause(squirrel, "", name, verb), clause(squirrel, "StatementBuilderType", name, verb))
	}
	rows = append(rows, clause(squirrel, "StatementBuilderType", "PlaceholderFormat", "none"), clause(squirrel, "StatementBuilderType", "RunWith", "handle"))
	for _, t := range []string{"SelectBuilder", "InsertBuilder", "UpdateBuilder", "DeleteBuilder"} {
		for _, c := range [][2]string{
			{"From", "table"}, {"Into", "table"}, {"Table", "table"}, {"Columns", "columns"}, {"Column", "columns"}, {"Where", "where"}, {"Set", "setcolumn"}, {"SetMap", "sets"}, {"Values", "values"},
			{"Suffix", "suffix"}, {"OrderBy", "order"}, {"Limit", "limit"}, {"RunWith", "handle"}, {"PlaceholderFormat", "none"}, {"Join", "joins"}, {"LeftJoin", "joins"}, {"Prefix", "none"}, {"Options", "none"}, {"GroupBy", "group"},
		} {
			rows = append(rows, clause(squirrel, t, c[0], c[1]))
		}
		rows = append(rows, clause(squirrel, t, "ToSql", "tosql"), clause(squirrel, t, "MustSql", "tosql"),
			finish(squirrel, t, "Query", Query, "exec", None), finish(squirrel, t, "QueryRow", Query, "exec", None), finish(squirrel, t, "QueryContext", Query, "exec", None),
			finish(squirrel, t, "QueryRowContext", Query, "exec", None), finish(squirrel, t, "Exec", Exec, "exec", None), finish(squirrel, t, "ExecContext", Exec, "exec", None),
			finish(squirrel, t, "Scan", Query, "scanall", 0), finish(squirrel, t, "ScanContext", Query, "scanall", 1))
	}
	return rows
}
