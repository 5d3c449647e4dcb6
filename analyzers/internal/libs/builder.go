package libs

import "strings"

const (
	goqu = "github.com/doug-martin/goqu/v9"
	xorm = "xorm.io/xorm"
)

// goquRows: a dataset collects clauses that are expressions of the package, and
// runs by itself or through its executor.
func goquRows() []Row {
	var rows []Row
	for _, t := range []string{"", "Database", "TxDatabase", "DialectWrapper"} {
		rows = append(rows, clause(goqu, t, "From", "table"), clause(goqu, t, "Select", "expressions"),
			clause(goqu, t, "Update", "update"), clause(goqu, t, "Insert", "insert"), clause(goqu, t, "Delete", "delete"))
	}
	for _, t := range []string{"Database", "TxDatabase"} {
		rows = append(rows, stmt(goqu, t, "Exec", Exec, 0), stmt(goqu, t, "ExecContext", Exec, 1), stmt(goqu, t, "Query", Query, 0), stmt(goqu, t, "QueryContext", Query, 1),
			stmt(goqu, t, "QueryRow", Query, 0), stmt(goqu, t, "QueryRowContext", Query, 1), into(goqu, t, "ScanStruct", 0, 1), into(goqu, t, "ScanStructContext", 1, 2),
			into(goqu, t, "ScanVal", 0, 1), into(goqu, t, "ScanValContext", 1, 2))
	}
	rows = append(rows, on(goqu, "Database", "Begin", Begin), begin(goqu, "Database", "BeginTx", None, 1, None), begin(goqu, "Database", "WithTx", None, None, 0),
		on(goqu, "TxDatabase", "Commit", Commit), on(goqu, "TxDatabase", "Rollback", Rollback), calling(goqu, "TxDatabase", "Wrap", Calls, None, 0))
	for _, t := range []string{"SelectDataset", "InsertDataset", "UpdateDataset", "DeleteDataset"} {
		for _, c := range [][2]string{
			{"From", "table"}, {"Table", "table"}, {"Into", "table"}, {"Select", "expressions"}, {"SelectAppend", "expressions"}, {"Where", "conditions"}, {"Set", "sets"}, {"Rows", "rows"},
			{"OnConflict", "onconflict"}, {"Order", "expressionorder"}, {"Limit", "limit"}, {"Returning", "returns"}, {"ForUpdate", "lock UPDATE"}, {"ForNoKeyUpdate", "lock NO KEY UPDATE"},
			{"ForShare", "lock SHARE"}, {"ForKeyShare", "lock KEY SHARE"}, {"Prepared", "none"}, {"WithDialect", "none"}, {"Executor", "none"}, {"Offset", "none"}, {"Join", "joins"},
			{"InnerJoin", "joins"}, {"LeftJoin", "joins"}, {"GroupBy", "group"}, {"Having", "having"}, {"Update", "update"}, {"Insert", "insert"}, {"Delete", "delete"},
		} {
			rows = append(rows, clause(goqu, t, c[0], c[1]))
		}
		rows = append(rows, clause(goqu, t, "ToSQL", "tosql"))
	}
	for _, t := range [][2]string{{goqu, "SelectDataset"}, {goqu + "/exec", "QueryExecutor"}} {
		for _, f := range []string{"ScanStruct", "ScanVal", "ScanStructs", "ScanVals"} {
			rows = append(rows, finish(t[0], t[1], f, Query, "scan", 0), finish(t[0], t[1], f+"Context", Query, "scan", 1))
		}
	}
	const executor = goqu + "/exec"
	return append(rows,
		finish(goqu, "SelectDataset", "Count", Query, "count", None), finish(goqu, "SelectDataset", "CountContext", Query, "count", None),
		finish(executor, "QueryExecutor", "Exec", Exec, "exec", None), finish(executor, "QueryExecutor", "ExecContext", Exec, "exec", None),
		finish(executor, "QueryExecutor", "Query", Query, "exec", None), finish(executor, "QueryExecutor", "QueryContext", Query, "exec", None))
}

// xormRows: a session collects clauses; an engine makes one for each call.
func xormRows() []Row {
	var rows []Row
	for _, t := range []string{"Engine", "Session", "EngineGroup", "Interface", "EngineInterface"} {
		for _, c := range [][2]string{
			{"ID", "id"}, {"Where", "where"}, {"And", "where"}, {"Or", "or"}, {"In", "none"}, {"Table", "table"}, {"Cols", "columns"}, {"ForUpdate", "lock UPDATE"}, {"Limit", "limit"}, {"OrderBy", "order"},
			{"Asc", "order"}, {"Desc", "order"}, {"Incr", "increment"}, {"Decr", "decrement"}, {"SetExpr", "setexpr"}, {"Context", "none"}, {"AllCols", "none"}, {"MustCols", "none"}, {"UseBool", "none"},
			{"Omit", "none"}, {"Unscoped", "none"}, {"NoAutoTime", "none"}, {"NoAutoCondition", "none"}, {"Join", "joins"}, {"Alias", "none"}, {"Distinct", "none"}, {"SQL", "raw"},
		} {
			rows = append(rows, clause(xorm, t, c[0], c[1]))
		}
		rows = append(rows, finish(xorm, t, "Get", Query, "bean", 0), finish(xorm, t, "Exist", Query, "beanexists", 0), finish(xorm, t, "Find", Query, "find", 0), finish(xorm, t, "Count", Query, "count", 0),
			finish(xorm, t, "Insert", Exec, "insert", 0), finish(xorm, t, "InsertOne", Exec, "insert", 0), finish(xorm, t, "Update", Exec, "update", 0), finish(xorm, t, "Delete", Exec, "beandelete", 0),
			begin(xorm, t, "Transaction", None, None, 0), inList(xorm, t, "Exec", Exec), inList(xorm, t, "Query", Query), on(xorm, t, "NewSession", Begin), on(xorm, t, "Commit", Commit), on(xorm, t, "Rollback", Rollback))
	}
	return rows
}

// inList is a method whose one variadic argument is the SQL text and its values.
func inList(path, typ, name string, op Op) Row {
	r := New(path, typ, name, op)
	r.Key, r.Note = 0, "list"
	return r
}

// rueidisRows: a command is built, and run by Do.
func rueidisRows() []Row {
	const path = "github.com/redis/rueidis"
	var rows []Row
	for _, t := range []string{"Client", "CommandClient", "CoreClient", "DedicatedClient"} {
		for _, m := range []string{"Do", "DoCache"} {
			r := New(path, t, m, KVAtomic)
			r.Note = "command"
			rows = append(rows, r)
		}
	}
	for _, m := range []string{
		"Error", "NonRedisError", "ToMessage", "ToInt64", "ToBool", "ToFloat64", "ToString", "AsReader", "AsBytes", "AsInt64", "AsUint64", "AsBool", "AsFloat64",
		"ToArray", "AsStrSlice", "AsIntSlice", "AsFloatSlice", "AsMap", "AsStrMap", "AsIntMap", "ToMap", "ToAny",
	} {
		rows = append(rows, New(path, "RedisResult", m, Pass))
	}
	return append(rows, scan(path, "RedisResult", "DecodeJSON", 0))
}

// Command says what a command of Redis does, by its name in any case.
func Command(name string) (op Op, note string, ok bool) {
	for _, c := range redisCommands {
		if strings.EqualFold(c.name, name) {
			return c.op, c.note, true
		}
	}
	return "", "", false
}

// Stored is the place of what a command of Redis stores among its words, counted
// from the key, which is 0.
func Stored(name string) int {
	switch strings.ToUpper(name) {
	case "HSET", "HMSET", "HSETNX", "HINCRBY", "HINCRBYFLOAT", "LSET", "SETBIT", "SETEX", "PSETEX", "ZADD":
		return 2
	}
	return 1
}

// wordRows: a command is a list of words, run by Do.
func wordRows() []Row {
	var rows []Row
	for _, p := range redisPaths {
		for _, t := range append([]string{"Client", "ClusterClient", "Ring", "UniversalClient", "Conn", "Tx"}, redisTypes...) {
			rows = append(rows, words(p.path, t))
		}
	}
	for _, path := range []string{"github.com/gomodule/redigo/redis", "github.com/garyburd/redigo/redis"} {
		rows = append(rows, words(path, "Conn"))
		for _, f := range []string{"Int", "Int64", "Uint64", "Float64", "String", "Bytes", "Bool", "Values", "Strings", "Ints", "Int64s", "ByteSlices", "StringMap", "IntMap", "Int64Map"} {
			rows = append(rows, New(path, "", f, Pass))
		}
	}
	return rows
}

func words(path, typ string) Row {
	r := New(path, typ, "Do", KVAtomic)
	r.Note = "words"
	return r
}
