package serial

import "github.com/ccheck/ccheck/analyzers/internal/sqlread"

// Lock returns a query with the lock that a later write of its rows needs: FOR
// UPDATE. ok is false where that cannot be written: a query over several
// tables or an aggregate, one that locks already, anything that is no query.
func Lock(sql string) (locked string, ok bool) {
	a := sqlread.Read(sql)
	if a.Opaque || a.Control != sqlread.None || len(a.Tables) != 1 {
		return "", false
	}
	t := &a.Tables[0]
	if t.Kind != sqlread.Select || t.Aggregate || t.Sub || t.Tail <= 0 || t.Tail > len(sql) {
		return "", false
	}
	return sql[:t.Tail] + " FOR UPDATE" + sql[t.Tail:], true
}
