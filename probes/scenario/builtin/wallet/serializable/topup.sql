-- Money comes in; the call starts over when the server says so.
-- @retry 40001 40P01
\set account random(1, :accounts)
\set amount random(1, :most)
BEGIN;
SELECT balance AS has FROM account WHERE id = :account \gset
\set grown :has + :amount
UPDATE account SET balance = :grown WHERE id = :account;
INSERT INTO payment (account_id, amount) VALUES (:account, :amount);
COMMIT;
