// Package delivery reports jobs of a queue that were never done, or done twice,
// from a history of producers and workers of which some were killed. It knows
// nothing of the queue but its statements.
package delivery

// Doc describes the checker.
const Doc = `delivery: jobs that were never done, or done twice

A queue promises that each job is done at least once, also when a worker dies, and
that two workers never have the same one. What a job does is counted outside of the
database, where no rollback undoes it.

A second effect after a worker died between the effect and its mark is none of the
queue's faults, and no queue can prevent it: there the effect needs a key that its
receiver knows again. Every other second effect is reported, and so is each job
that was accepted and has none when the queue is drained.

Wrong, though it is one statement: the subquery is not evaluated again when the row
that it chose turns out to be locked, and both workers update it.

    UPDATE job SET state = 'running'
    WHERE id = (SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1)

Right: the lock is taken where the row is chosen, and kept until the job is done, so
that the server gives it back when the worker dies.

    BEGIN;
    SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
    -- do it
    UPDATE job SET state = 'done' WHERE id = $1;
    COMMIT;

An outbox that remembers the last id it has sent skips a row whose transaction
commits late: ids are given out when they are asked for, not in the order of
commits.

The verdict is clean only when workers were claiming at the same time, and one of
them was killed between its claim and the effect.`
