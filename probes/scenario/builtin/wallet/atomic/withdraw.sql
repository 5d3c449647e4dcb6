-- Money goes out: the UPDATE that takes it is the check as well.
-- @retry 40001 40P01
\set account random(1, :accounts)
\set amount random(1, :most)
\set debited 0
BEGIN;
UPDATE account SET balance = balance - :amount WHERE id = :account AND balance >= :amount RETURNING 1 AS debited \aset
\if :debited = 1
INSERT INTO payment (account_id, amount) VALUES (:account, - :amount::bigint);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
