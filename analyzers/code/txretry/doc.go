// Package txretry finds transactions at a level that refuses conflicts and that
// nobody retries, and retries that cannot work.
//
// What happens to the error of an ordinary transaction it leaves alone.
package txretry

// Doc is what `ccheck explain txretry` prints.
const Doc = `txretry: a serializable transaction without a retry, or with one that cannot work

At REPEATABLE READ and SERIALIZABLE PostgreSQL refuses one of two conflicting
transactions with 40001, and expects the application to run it again from its
first statement (manual, 13.2.3 and 13.5). Without a retry the caller gets an
error for what was an ordinary conflict.

    client A                            client B
    BEGIN ISOLATION LEVEL SERIALIZABLE
                                        BEGIN ISOLATION LEVEL SERIALIZABLE
    UPDATE …; COMMIT                    UPDATE …
                                        ERROR 40001 could not serialize access

Reported are

  - a transaction at these levels which neither its function nor any caller
    runs again on 40001
  - a test for 40001 by type assertion, where errors are wrapped on the way:
    err.(*pgconn.PgError) does not look inside
  - a function that says whether to try again, and asks for other errors alone:
    40P01 or its message, a list of codes without 40001, a lost connection, the
    words of another database
  - a test for 40001 in the error of another driver than the one that is used
  - fmt.Errorf with %v on the way to such a test: only %w keeps the code inside;
    or another error that is returned in the place of the commit's
  - a retry that asks the commit alone, or the statements alone
  - a statement that is tried again inside of the transaction that failed, also by
    a function that is given the transaction: it is aborted, and answers 25P02 to
    everything

Wrong:

    pe, ok := err.(*pgconn.PgError)
    return ok && pe.Code == "40001"

Right:

    var pe *pgconn.PgError
    return errors.As(err, &pe) && (pe.Code == "40001" || pe.Code == "40P01")

    for try := 0; ; try++ {
        err := runInTx(ctx, db, f)          // begins, and commits
        if try == 5 || !retryable(err) { return err }
    }

To prove it, run it under ` + "`ccheck stress --isolation ser`" + ` and look for 40001
that reached the caller.

To silence one: //ccheck:ignore txretry reason
`
