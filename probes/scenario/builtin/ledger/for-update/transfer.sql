-- A transfer: the row of the paying account is locked, then the balance derived.
-- NO KEY, because FOR UPDATE would wait for everybody whose entries refer to the
-- account, and they for it: a deadlock.
-- @retry 40001 40P01
\set src random(1, :accounts)
\set dst 1 + (:src + random(0, :accounts - 2)) % :accounts
\set amount random(1, :most)
BEGIN;
SELECT id FROM account WHERE id = :src FOR NO KEY UPDATE;
SELECT coalesce(sum(amount), 0) AS has FROM entry WHERE account_id = :src \gset
\if :has < :amount
ROLLBACK;
-- @decide
\else
INSERT INTO posting (memo) VALUES ('transfer') RETURNING id AS posting \gset
INSERT INTO entry (posting_id, account_id, amount) VALUES (:posting, :src, - :amount::bigint), (:posting, :dst, :amount);
COMMIT;
\endif
