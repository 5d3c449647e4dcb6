-- @retry 40001
BEGIN;
SELECT balance FROM account WHERE name = 'savings' \gset
UPDATE account SET balance = :balance + 20 WHERE name = 'savings';
COMMIT;
