BEGIN;
SELECT balance AS one FROM account WHERE id = 1 \gset
SELECT balance AS two FROM account WHERE id = 2 \gset
\set one :one - :amount
\set two :two + :amount
UPDATE account SET balance = :one WHERE id = 1;
UPDATE account SET balance = :two WHERE id = 2;
COMMIT;
