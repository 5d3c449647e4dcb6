// Package rowlockorder finds transactions that lock rows in an order that
// depends on the caller: two of them can wait for each other.
//
// Mutexes are the matter of lockorder.
package rowlockorder

// Doc is what `ccheck explain rowlockorder` prints.
const Doc = `rowlockorder: rows locked in an order that the caller chooses

An UPDATE, a DELETE and a SELECT … FOR UPDATE hold their rows until the
transaction ends. Two transactions that take the same two rows in different
orders wait for each other; PostgreSQL ends one of them with 40P01 after
deadlock_timeout (manual, 13.3.4).

    transfer 1 → 2                       transfer 2 → 1
    UPDATE jars … WHERE id = 1
                                         UPDATE jars … WHERE id = 2
    UPDATE jars … WHERE id = 2  waits
                                         UPDATE jars … WHERE id = 1  waits: deadlock

Reported are, in one transaction or statement,

  - a loop that locks one row each time, over a list as the caller gave it, or
    over a map, whose order is random
  - one INSERT … ON CONFLICT of many rows in the order of a map; with DO UPDATE
    also in the order in which a caller gave them
  - SELECT … WHERE id IN (…) FOR UPDATE without ORDER BY
  - two statements that lock two rows of one table in the order of two arguments
  - rows of two tables that two functions of a package lock in opposite orders
  - advisory locks taken in these ways

Not reported: sorted lists, ORDER BY, SKIP LOCKED, NOWAIT, a lock on a common
row taken before, arguments that were compared and swapped, a transaction that
is run again on 40P01.

Right:

    slices.Sort(ids)
    SELECT … WHERE id = ANY($1) ORDER BY id FOR UPDATE
    lo, hi := min(from, to), max(from, to)

To prove it, let ` + "`ccheck stress`" + ` run both directions at once and look at 40P01.

To silence one: //ccheck:ignore rowlockorder reason
`
