-- Money moves: the balances are changed in place, in id order. The table does
-- not let a balance fall below zero; its error is the refusal.
-- @retry 40001 40P01
-- @refuse 23514
\set src random(1, :accounts)
\set dst 1 + (:src + random(0, :accounts - 2)) % :accounts
\set amount random(1, :most)
BEGIN;
\if :src < :dst
UPDATE account SET balance = balance - :amount WHERE id = :src;
UPDATE account SET balance = balance + :amount WHERE id = :dst;
\else
UPDATE account SET balance = balance + :amount WHERE id = :dst;
UPDATE account SET balance = balance - :amount WHERE id = :src;
\endif
COMMIT;
