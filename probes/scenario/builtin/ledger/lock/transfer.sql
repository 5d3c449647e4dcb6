-- A transfer: the row of the paying account is written first, so that its
-- postings queue. Written and not only locked: above READ COMMITTED a lock alone
-- would be followed by a look at an old snapshot.
-- @retry 40001 40P01
\set src random(1, :accounts)
\set dst 1 + (:src + random(0, :accounts - 2)) % :accounts
\set amount random(1, :most)
BEGIN;
UPDATE account SET postings = postings + 1 WHERE id = :src;
SELECT coalesce(sum(amount), 0) AS has FROM entry WHERE account_id = :src \gset
\if :has < :amount
ROLLBACK;
-- @decide
\else
INSERT INTO posting (memo) VALUES ('transfer') RETURNING id AS posting \gset
INSERT INTO entry (posting_id, account_id, amount) VALUES (:posting, :src, - :amount::bigint), (:posting, :dst, :amount);
COMMIT;
\endif
