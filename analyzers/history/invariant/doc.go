// Package invariant reports claims that were seen broken and explains each by
// the earliest transactions of the record that account for it. It does not
// prove that they are the only ones, and it invents none: where no pair fits it
// says so.
package invariant

// Doc describes the checker.
const Doc = `invariant: reports a rule that was broken, and the two transactions that broke it

A claim is a query that must return no row. When a check of it returned rows,
this checker looks in the record for the earliest transactions that account for
them: those that wrote the tables the claim reads, on the rows that it names,
with dependencies that no serial order has.

It tells apart lost updates (written from a stale read), decisions on a stale
read, guards whose row count nobody looked at, claims in one statement that are
not atomic, effects outside the transaction, duplicates after a check, write
skew, reads past an uncommitted insert, and rules that broke although nothing
overlapped, which no isolation level mends.

Wrong:
    SELECT balance FROM account WHERE id = 1      -- 100, in two transactions
    UPDATE account SET balance = 70 WHERE id = 1  -- both write

Right:
    UPDATE account SET balance = balance - 30 WHERE id = 1 AND balance >= 30
    -- and look at the row count`
