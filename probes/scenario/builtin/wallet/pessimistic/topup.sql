-- Money comes in: the row is locked before it is read.
-- @retry 40001 40P01
\set account random(1, :accounts)
\set amount random(1, :most)
BEGIN;
SELECT balance AS has FROM account WHERE id = :account FOR UPDATE \gset
\set grown :has + :amount
UPDATE account SET balance = :grown WHERE id = :account;
INSERT INTO payment (account_id, amount) VALUES (:account, :amount);
COMMIT;
