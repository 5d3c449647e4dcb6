// Package fenced judges leases: at most one owner at a time, tokens that grow,
// late writes refused, renewal and release by the owner alone. It knows the
// calls of owners from a history and nothing of how they are sent.
package fenced

// Doc describes the checker.
const Doc = `fenced: a lease that lets two owners in, or a late owner through

A lock with a time to live ends while its owner is paused, and the owner does not
know. Four things keep that from costing data, and each is judged on what the
owners asked and were answered while one of them was paused for longer than the
lease:

  - At most one owner at a time. The acquisitions, renewals and releases of one
    lease must be linearizable (Herlihy and Wing, 1990; decided by porcupine),
    where a lease may end at any time after its time to live, counted from when
    it was asked for.
  - Tokens grow. Of two acquisitions of which one ended before the other began,
    the later one has the greater token; after a restart, too.
  - The resource refuses a late write: once the next owner has written, no write
    of an earlier one is taken. The comparison belongs into the statement that
    writes; between a comparison in the application and the write, the owner can
    be paused.
  - Renewal and release name owner and token. One that does not renews or deletes
    the lease of somebody else.

Wrong:

    SELECT token FROM resource WHERE key = 'ledger'     -- 1: mine is not smaller
    (paused; the next owner writes with token 2)
    UPDATE resource SET value = $1 WHERE key = 'ledger' -- taken, and its write is gone

Right:

    UPDATE resource SET value = $1, token = $2 WHERE key = 'ledger' AND token <= $2
    -- no row: a later owner was here, and this one must stop

The verdict is clean only when an owner was paused past the end of its lease, a
rival took over and wrote, and the late calls were made. Times are those of one
monotonic clock; a hold is called certain from the answer to the acquisition to
its time to live after the question, so that no doubt about the store's clock
makes a finding.
`
