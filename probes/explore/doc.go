package explore

import "github.com/ccheck/ccheck/probes/probe"

// Probe describes this probe.
var Probe = &probe.Probe{Name: "explore", Doc: Doc}

// Doc is the page of the probe.
const Doc = `explore: run a few calls through every interleaving of their statements

Two to four lanes make one call each, on a real server. A step is one
statement; BEGIN belongs to the statement after it, ROLLBACK to the one before
it, COMMIT is a step. So is the commit of a statement on autocommit that writes:
another lane may read between the two. A ROLLBACK is one where a lane has NOWAIT,
SKIP LOCKED or pg_try_advisory_lock, which see a lock that goes. One schedule at a time is run, the tables are put back,
and the next one follows: first the serial orders, then the schedules with the
fewest switches between lanes, so that the first one that breaks is already
the smallest.

A lane that waits for a lock is seen in the server's lock table
(pg_blocking_pids), never guessed from a pause. When all lanes wait for each
other, each of the circle is made the victim in turn, since PostgreSQL may
pick any.

Statements after "-- @on replica" run on a hot standby whose replay of the log
is stopped, and goes on when the scheduler says so (@replay in a schedule): a
read there sees the state after any commit, no earlier one than the read before.
In a serial order the standby is never behind.

What it proves: a schedule that breaks is shown with every statement and value,
and breaks again whenever it is replayed. When all schedules were run and none
breaks, no interleaving of these statements with these values does.

What it cannot prove: what happens inside of one statement, such as between two
queries of a function (its locks and its commit are seen); anything about other parameters, other statements, more
lanes, or a clock. Above the limit (--max) it samples, and says so.`
