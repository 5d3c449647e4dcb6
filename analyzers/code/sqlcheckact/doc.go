// Package sqlcheckact finds check-then-act on rows of a database: a row, its
// absence, a count or a maximum is read, Go decides on it or computes with it,
// and a later statement writes, with nothing that holds the row in between.
//
// It judges the program and not the database: which columns are unique it knows
// from the module's own DDL and tags alone.
package sqlcheckact

// Doc is what `ccheck explain sqlcheckact` prints.
const Doc = `sqlcheckact: a row is read, and written because of what was read, with no guard over both

Between the SELECT and the write any other client can run the same two
statements. Both see the old row, both pass the check, both write.

    client A                                 client B
    SELECT left FROM passes WHERE code='X'   -- 1
                                             SELECT left FROM passes WHERE code='X'   -- 1
    UPDATE passes SET left = left - 1 …      -- 0
                                             UPDATE passes SET left = left - 1 …      -- -1

A transaction alone does not help: READ COMMITTED, the default of PostgreSQL,
allows it (manual, 13.2.1). The two statements may be in different functions
and packages, behind interfaces, and written with a query builder.

Reported is the write, with the read beside it: a decision on a column that is
written, a value computed from the column that it replaces (by an upsert, too), a
row inserted because none was found, a row inserted, or moved, because a count
was small enough, or deleted because it was large enough; where a unique key of
the module's own DDL refuses the second row, only a function that answers with
the row when it finds it, or changes it to what it was to insert (its caller gets
23505 although the row is there: low),
and one that pays, tells or adds something after a refusal that it does not look at;
a row that an ORM, or an UPDATE that names all of them, saves with columns as they were
read, or that is saved whole after a request was decoded over it; one that an ORM saves
where none was found, and that would have been refused otherwise; other columns of a row whose
state (status, locked, closed …) would have turned the caller away; a row that is read,
and given in for a new one under another key; and a row that a subquery
of the UPDATE itself chooses by its state without a lock: an UPDATE that has
waited does not run the subquery again.

Not reported: SELECT … FOR UPDATE in the transaction of the write, a WHERE that
repeats the check, ON CONFLICT, a unique violation that is handled, a version
column, SERIALIZABLE, an advisory or Go lock over both, a row of one's own, a
second look under a guard, a fixed state where who sets it second is told the
same as who set it first and nothing else hangs on it, a package named cli.
FOR UPDATE on a row that may not exist locks nothing and is no guard.

Wrong:

    SELECT left FROM passes WHERE code = $1        -- if left < 1 { refuse }
    UPDATE passes SET left = left - 1 WHERE code = $1

Right, best first:

    UPDATE passes SET left = left - 1 WHERE code = $1 AND left > 0   -- refuse when no row was changed
    ALTER TABLE passes ADD CHECK (left >= 0)                         -- and handle 23514
    UPDATE passes SET left = $1, version = version + 1 WHERE code = $2 AND version = $3
    SELECT left FROM passes WHERE code = $1 FOR UPDATE               -- in one transaction with the UPDATE

To prove it, put the two statements into a scenario and let
` + "`ccheck stress`" + ` run it with many clients on few rows.

To silence one: //ccheck:ignore sqlcheckact reason
`
