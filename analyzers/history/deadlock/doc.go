// Package deadlock reports transactions that waited for each other, with all
// that each of them had done before, and whether whoever was rolled back
// started over. The circle is taken from the samples of who waits for whom; it
// knows nothing of how these were made.
package deadlock

// Doc describes the checker.
const Doc = `deadlock: transactions that wait for each other, and were not started over

Each holds a lock that the next one waits for. After deadlock_timeout (one second
as it comes) the server looks, picks one of them and rolls it back with 40P01. Its
log has the statements that waited, and not those that had taken the locks; here
all statements of all sides are told, the circle, and the order of locks that
would have left none.

A deadlock whose victim started over from BEGIN and went through is no finding:
the retry stays necessary with any order of locks (manual, 13.3.4). One that
reached the caller is: its work was dropped.

Wrong:
    UPDATE account SET balance = balance - 1 WHERE id = $1;  -- 1, then 2
    UPDATE account SET balance = balance + 1 WHERE id = $2;  -- another one: 2, then 1

Right:
    SELECT id FROM account WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE;
    -- then both updates; and 40P01 is started over from BEGIN

It takes no second table and not even a second row: two inserts that refer to one
row hold FOR KEY SHARE on it, and a FOR UPDATE of either waits for the other.

The verdict is clean only when lanes were seen to wait for each other's locks and
never in a circle. A watch of a live server reports every circle that it sees, and
waits that were long, since what the callers do afterwards is not its to see.`
