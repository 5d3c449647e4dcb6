-- A transfer: a guarded balance in the row of the account decides, the entries
-- are the record. Rows are changed in id order, so nothing deadlocks.
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
\if :debited = 0
ROLLBACK;
-- @decide
\else
INSERT INTO posting (memo) VALUES ('transfer') RETURNING id AS posting \gset
INSERT INTO entry (posting_id, account_id, amount) VALUES (:posting, :src, - :amount::bigint), (:posting, :dst, :amount);
COMMIT;
\endif
