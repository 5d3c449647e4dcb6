// Package retry reports serialization failures and deadlocks that reached the
// caller. PostgreSQL rolls such a transaction back through no fault of its own
// and asks for it to be run again; a program that does not is a program that
// drops work.
package retry

// Doc describes the checker.
const Doc = `retry: calls that ended with 40001 or 40P01, which nobody started over

40001 (serialization failure) and 40P01 (deadlock) are answers that are part of
normal work: the transaction was rolled back so that another one could go on,
and must be started over from BEGIN, with its reads and its decision (manual,
13.5). A call that passes them on to its caller has dropped what it was asked to
do. A call that started over and went through in the end is no finding, and a
refusal is none.

Right:
    for try := 0; try < 10; try++ {
        err := transfer(ctx)          // BEGIN … COMMIT, nothing outside of it
        if !retryable(err) { return err }
    }

For a deadlock, lock rows in one order as well: that leaves fewer of them.`
