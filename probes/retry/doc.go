// Package retry makes the server answer a call with what asks for a retry, or
// loses the answer to its COMMIT, and records what the caller does then and what
// is in the tables afterwards. It judges nothing.
//
// The errors are the server's own: triggers in the sandbox raise them, or a rival
// transaction brings them about, so that the transaction is in the state that it
// would be in. It creates nothing outside the
// schema that the caller made. Only the commands import it.
package retry

import "github.com/ccheck/ccheck/probes/probe"

// Probe is what `ccheck list` shows.
var Probe = &probe.Probe{Name: "retry", Doc: Doc}

// Doc is the page of the probe.
const Doc = `retry: what a call does with 40001, 40P01 and a COMMIT that is not answered

PostgreSQL answers some transactions with 40001 (serialization failure) or 40P01
(deadlock): they were rolled back for no fault of their own, and are to be started
over. Such errors are rare in tests and common under load. And a connection can
break right after the server has committed: then nobody but the server knows.

Each call is made alone, twice, and twice in a row, so that it is known what it
changes, which columns are left to chance, and what happening twice would look
like. Then, one at a time:

  40001          at the first statement that writes
  40001-commit   at COMMIT, as under SERIALIZABLE
  40001-twice    two times in a row
  40P01          at the first statement that writes
  answer         COMMIT succeeds, and the connection is cut before its answer; where
                 the caller gets an error, it sends the same call once more

--by contention has a rival transaction bring the errors about, on the rows that the
call was seen to change: it updates them, to what they are, and commits when the call
waits for it, which is 40001 above READ COMMITTED; or it locks rows, or a table, that
the call is still to come to, and then asks for those that the call has, which is
40P01 for the call. Where the server does not raise the error, as 40001 at READ
COMMITTED or 40P01 for a call that locks one row, the verdict is unknown. 40001-commit
and answer come of injection alone.

Judged (ccheck explain once) are: it is started over; from its reads, not from the
statement that failed; and its effect is there exactly once, in every table and at
every stub.

The target is a scenario, on a throw-away server or yours, or an application that
takes its database from DATABASE_URL: --app starts it behind a proxy on a server of
its own, --curl is a request. A --stub stands in for a service that it calls, and
counts.

It cannot see an effect that is neither in the database nor at a stub, and it makes
one call at a time: what happens when two collide, ccheck explore shows.
`
