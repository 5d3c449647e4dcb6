BEGIN;
SELECT balance FROM account WHERE id = 1 \gset
\set new :balance + :amount
UPDATE account SET balance = :new WHERE id = 1;
COMMIT;
