// Package once reports calls whose effect is dropped or happens twice when the
// server asks for a retry, or when the answer to a COMMIT is lost. It judges rounds
// in which one such thing happened to one call; it knows nothing of how it was
// brought about.
package once

// Doc describes the checker.
const Doc = `once: calls whose effect is dropped, or happens twice, when the server asks for a retry

After 40001 or 40P01 nothing of the transaction is left, and the call must be made
again from BEGIN: its reads, its decision, its writes (manual, 13.5). What can go
wrong:

  not started over    the caller gets an error, and the work is dropped
  not from the read   the writes alone are made again, with what was computed from
                      rows that may have changed since
  twice               a part of it was not in the transaction: a call of another
                      service, a statement on another connection
  said done           the error was swallowed: accepted, and nothing is there

When the connection breaks after COMMIT was sent, the outcome is unknown. Whoever
makes the call again blindly makes it twice; whoever reports an error is asked again
by its own caller. Both are right only when the call carries a key that is stored in
the same transaction:

    INSERT INTO payment (key, …) VALUES ($1, …) ON CONFLICT (key) DO NOTHING
    -- no row: it was done before; answer as then

A round is compared with calm ones: one call, the same call once more, and two of
them in a row. Columns that differ between two calm rounds (identities, times) are
not compared.`
