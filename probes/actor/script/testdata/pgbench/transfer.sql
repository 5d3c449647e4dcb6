-- protocols: simple extended prepared. The transfer that everybody writes.
\set from random(1, 20)
\set to random_zipfian(1, 20, 1.2)
\set amount random_gaussian(1, 100, 3)
BEGIN;
SELECT balance AS old FROM account WHERE id = :from::int \gset
\if :old >= :amount and :from <> :to
UPDATE account SET balance = :old::int - :amount::int WHERE id = :from::int;
UPDATE account SET balance = balance + :amount::int WHERE id = :to::int RETURNING balance \gset to_
INSERT INTO t (who, a, b, c) VALUES (:client_id::int, :from::text, :to::text, :to_balance::text);
\else
INSERT INTO t (who, a) VALUES (:client_id::int, 'refused');
\endif
COMMIT;
