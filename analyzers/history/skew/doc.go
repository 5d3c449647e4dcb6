// Package skew judges what is decided by clocks that differ: their offsets, the
// order of stamps, the window of a token, a duration under a clock that is set. It
// knows readings and stamps from a history and nothing of how they were made.
package skew

// Doc describes the checker.
const Doc = `skew: clocks that differ decide something

No two clocks agree, and any of them can be set. What is decided by comparing times
of two machines, or two times of one wall clock, is decided by that difference:

  - The clocks agree within --tolerance. Each reading of another clock bounds its
    offset for certain; what is told is the intersection, and a finding is made only
    when all of it lies beyond.
  - Stamps are in the order of the server. Two sessions stamp their events while they
    hold one row lock, so that the order is known. With stamps of two clocks, ORDER BY
    created_at shows another one, and "the last write wins" keeps the wrong write.
  - A token is accepted in its time alone: not long after it has expired, and yet
    when the clock of who made it is a second ahead.
  - A duration does not depend on the wall clock: two readings of a clock that is
    set in between give a lease that never ends, or a time-out at once.

Wrong:

    INSERT INTO event (created_at) VALUES ($1)  -- time.Now() of one of many machines
    SELECT … ORDER BY created_at DESC LIMIT 1   -- the newest?

    if time.Now().UnixNano()-began > limit      -- wall clock
    if time.Now().After(lease.Until)            -- another machine's time

Right:

    event_no bigint GENERATED ALWAYS AS IDENTITY  -- drawn under the lock that orders the events
    SELECT … ORDER BY event_no DESC LIMIT 1

    if time.Since(began) > limit                  -- Go: monotonic
    UPDATE lease … WHERE until < clock_timestamp() -- one clock, that of the database

The verdict is unknown where the error of the readings is greater than the
tolerance, where the two sessions hardly met, where the clock was set before the
command looked at it, and where this machine's clock was set during the run.
`
