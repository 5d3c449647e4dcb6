-- Money goes out; the table refuses what is not there.
-- @retry 40001 40P01
-- @refuse 23514
\set account random(1, :accounts)
\set amount random(1, :most)
BEGIN;
UPDATE account SET balance = balance - :amount WHERE id = :account;
INSERT INTO payment (account_id, amount) VALUES (:account, - :amount::bigint);
COMMIT;
