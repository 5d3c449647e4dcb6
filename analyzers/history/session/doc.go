// Package session judges what sessions read from replicas: their own writes,
// never backwards, no effect before its cause, no decision on stale money. It
// knows reads and writes from a history and nothing of servers.
package session

// Doc describes the checker.
const Doc = `session: a session reads the past from a replica

A replica shows what it has replayed. A session that has written something, read
something newer, or been told of something, and then reads from a replica, can
get an answer that contradicts what it knows:

  - A session reads its own writes. Else the user saves, is sent to the page, and
    the change is not there: it is made again.
  - A session never reads backwards (monotonic reads). Else an order is there, is
    gone at the next click, and there again.
  - No effect is seen before its cause (writes follow reads, and what one session
    is told by another). Else a worker that is told of order 17 does not find it.
  - No money is spent twice on a stale balance: what was read from a replica does
    not decide what is written on the primary.

The first three are the session guarantees of Terry et al. (1994), judged with the
versions that each session knows: of its writes, of its reads, and of what was
known to the writer of what it read or was told.

Wrong:

    balance := replica("SELECT balance FROM account WHERE id = $1")   -- 100, of before
    if balance >= 100 { primary("UPDATE account SET balance = balance - 100 …") }

Right:

    primary("UPDATE account SET balance = balance - 100 WHERE id = $1 AND balance >= 100")
    -- no row: refused

    SELECT pg_current_wal_insert_lsn()                       -- after COMMIT; kept with the session
    SELECT pg_last_wal_replay_lsn() >= $1                    -- on the replica, before the read

The verdict is clean only when reads of each kind were made at a moment from which
on a look at the replica still lacked what the session knew. Without lag there was
nothing to see, and the verdict is unknown.
`
