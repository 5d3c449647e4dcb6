-- Money moves: both balances are read with their versions, and written back
-- only if nobody has written since; otherwise the call starts over. Rows are
-- written in id order, so nothing deadlocks.
-- @retry 40001 40P01
\set src random(1, :accounts)
\set dst 1 + (:src + random(0, :accounts - 2)) % :accounts
\set amount random(1, :most)
\set debited 0
\set credited 0
BEGIN;
SELECT balance AS has, version AS src_version FROM account WHERE id = :src \gset
SELECT balance AS gets, version AS dst_version FROM account WHERE id = :dst \gset
\if :has < :amount
ROLLBACK;
-- @decide
\else
\set rest :has - :amount
\set grown :gets + :amount
\if :src < :dst
UPDATE account SET balance = :rest, version = version + 1 WHERE id = :src AND version = :src_version RETURNING 1 AS debited \aset
UPDATE account SET balance = :grown, version = version + 1 WHERE id = :dst AND version = :dst_version RETURNING 1 AS credited \aset
\else
UPDATE account SET balance = :grown, version = version + 1 WHERE id = :dst AND version = :dst_version RETURNING 1 AS credited \aset
UPDATE account SET balance = :rest, version = version + 1 WHERE id = :src AND version = :src_version RETURNING 1 AS debited \aset
\endif
\if :debited + :credited < 2
DO $$ BEGIN RAISE EXCEPTION 'somebody was faster' USING ERRCODE = '40001'; END $$;
\endif
COMMIT;
\endif
