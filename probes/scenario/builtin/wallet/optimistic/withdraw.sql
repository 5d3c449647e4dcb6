-- Money goes out: written back only if nobody has written since.
-- @retry 40001 40P01
\set account random(1, :accounts)
\set amount random(1, :most)
\set saved 0
BEGIN;
SELECT balance AS has, version AS seen FROM account WHERE id = :account \gset
\if :has < :amount
ROLLBACK;
-- @decide
\else
\set rest :has - :amount
UPDATE account SET balance = :rest, version = version + 1 WHERE id = :account AND version = :seen RETURNING 1 AS saved \aset
\if :saved = 0
DO $$ BEGIN RAISE EXCEPTION 'somebody was faster' USING ERRCODE = '40001'; END $$;
\endif
INSERT INTO payment (account_id, amount) VALUES (:account, - :amount::bigint);
COMMIT;
\endif
