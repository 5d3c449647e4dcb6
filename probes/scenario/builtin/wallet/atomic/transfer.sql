-- Money moves: the debit carries its own condition, and whether it found the
-- row is the decision. Rows are changed in id order, so nothing deadlocks.
-- @retry 40001 40P01
\set src random(1, :accounts)
\set dst 1 + (:src + random(0, :accounts - 2)) % :accounts
\set amount random(1, :most)
\set debited 0
BEGIN;
\if :src < :dst
UPDATE account SET balance = balance - :amount WHERE id = :src AND balance >= :amount RETURNING 1 AS debited \aset
UPDATE account SET balance = balance + :amount WHERE id = :dst;
\else
UPDATE account SET balance = balance + :amount WHERE id = :dst;
UPDATE account SET balance = balance - :amount WHERE id = :src AND balance >= :amount RETURNING 1 AS debited \aset
\endif
\if :debited = 1
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
