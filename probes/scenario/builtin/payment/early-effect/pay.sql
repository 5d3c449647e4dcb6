-- The card is charged by another service, which knows of no rollback.
-- @retry 40001 40P01
\set account random(1, :accounts)
\set cents random(1, 5)
BEGIN;
SELECT balance FROM account WHERE id = :account FOR NO KEY UPDATE \gset
-- @decide :balance >= :cents
-- @outside
INSERT INTO charge VALUES (:account, :cents);
\set rest :balance - :cents
UPDATE account SET balance = :rest WHERE id = :account;
INSERT INTO payment (account, cents) VALUES (:account, :cents);
COMMIT;
