// Package sessionlock finds PostgreSQL's session-level advisory locks on a pool
// of connections: locked on one session, unlocked on another.
//
// The order in which they are taken is the matter of rowlockorder.
package sessionlock

// Doc is what `ccheck explain sessionlock` prints.
const Doc = `sessionlock: a session-level advisory lock taken or given back through a pool

pg_advisory_lock belongs to the session, which is one connection. A pool runs
every statement on any connection that is free.

    db (a pool)
    SELECT pg_advisory_lock(7)      -- on connection 1
    SELECT pg_advisory_unlock(7)    -- on connection 2: false, with a warning
    …                               -- connection 1 holds the lock while it lives,
                                       and gives it to whoever uses it next

Reported are

  - pg_advisory_lock, pg_try_advisory_lock and pg_advisory_unlock on *sql.DB,
    *pgxpool.Pool and their like
  - a transaction of a pool that locks for the session and commits: COMMIT does
    not unlock
  - a pinned connection that locks, is closed, and never unlocks: Close gives
    the connection back to the pool, with the lock
  - such a connection whose unlock an error in between leaves out, or unlocks
    another lock: not the shared one, or with another number of keys
  - such a connection whose unlock runs at the end with the context of the work, and
    whose failure nobody looks at: a request that was cancelled unlocks nothing
  - pg_try_advisory_lock whose answer nobody looks at
  - GET_LOCK and LOCK TABLES of MySQL, which belong to the session as well, on a
    pool

Wrong:

    db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id)
    defer db.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", id)

Right, best first:

    tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", id)     // ends with the transaction
    conn, err := db.Conn(ctx); defer conn.Close()
    conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id)
    defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)

To prove it, look at pg_locks where locktype = 'advisory' after the unlock.

To silence one: //ccheck:ignore sessionlock reason
`
