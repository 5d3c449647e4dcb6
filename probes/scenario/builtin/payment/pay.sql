-- Read, decide, write.
\set account random(1, :accounts)
\set cents random(1, 5)
BEGIN;
SELECT balance FROM account WHERE id = :account FOR NO KEY UPDATE \gset
-- @decide :balance >= :cents
\set rest :balance - :cents
UPDATE account SET balance = :rest WHERE id = :account;
INSERT INTO payment (account, cents) VALUES (:account, :cents);
COMMIT;
