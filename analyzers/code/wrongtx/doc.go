// Package wrongtx finds statements that run outside of the transaction that was
// meant for them: on the pool while a transaction is open, FOR UPDATE in
// autocommit, an isolation level that is named and not asked for.
package wrongtx

// Doc is what `ccheck explain wrongtx` prints.
const Doc = `wrongtx: a statement that is not part of the transaction it was meant for

A statement on the pool runs on another connection. It does not see what the
transaction wrote, its locks are released as soon as it is done, a rollback does
not undo it, and with all connections in use it waits for the transaction that
waits for it.

    tx, _ := db.Begin()
    db.QueryRow("SELECT left FROM seats WHERE id=$1 FOR UPDATE")   -- locks, and unlocks at once
                                      another client: the same
    tx.Exec("UPDATE seats SET left = left - 1 WHERE id=$1")
                                      another client: the same

Reported are

  - a statement on the pool between Begin and Commit, when it writes or reads
    what the transaction touches
  - SELECT … FOR UPDATE on a pool, where every statement is its own transaction
  - BeginTx with default options where the function's name or comment promises
    serializable or repeatable read
  - gorm.io's Set("gorm:query_option", "FOR UPDATE"): that is an option of
    version 1 which version 2 ignores

Wrong:

    err := db.QueryRowContext(ctx, "SELECT … FOR UPDATE", id).Scan(&n)

Right:

    err := tx.QueryRowContext(ctx, "SELECT … FOR UPDATE", id).Scan(&n)
    db.Clauses(clause.Locking{Strength: "UPDATE"}).First(&row, id)      // gorm 2

To prove it, run two callers under ` + "`ccheck stress`" + ` and count the lock waits: there are none.

To silence one: //ccheck:ignore wrongtx reason
`
