-- Money comes in: the balance is changed in place.
-- @retry 40001 40P01
\set account random(1, :accounts)
\set amount random(1, :most)
BEGIN;
UPDATE account SET balance = balance + :amount WHERE id = :account;
INSERT INTO payment (account_id, amount) VALUES (:account, :amount);
COMMIT;
