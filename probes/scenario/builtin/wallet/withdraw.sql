-- Money goes out: read the balance, decide, write what is left.
\set account random(1, :accounts)
\set amount random(1, :most)
BEGIN;
SELECT balance AS has FROM account WHERE id = :account \gset
\if :has < :amount
ROLLBACK;
-- @decide
\else
\set rest :has - :amount
UPDATE account SET balance = :rest WHERE id = :account;
INSERT INTO payment (account_id, amount) VALUES (:account, - :amount::bigint);
COMMIT;
\endif
