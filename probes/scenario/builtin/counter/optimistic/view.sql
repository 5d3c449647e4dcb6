-- A page is viewed: the counter is written back only if nobody has written since.
-- @retry 40001 40P01
\set page random(1, :pages)
\set saved 0
BEGIN;
SELECT views, version AS seen FROM page WHERE id = :page \gset
\set next :views + 1
UPDATE page SET views = :next, version = version + 1 WHERE id = :page AND version = :seen RETURNING 1 AS saved \aset
\if :saved = 0
DO $$ BEGIN RAISE EXCEPTION 'somebody was faster' USING ERRCODE = '40001'; END $$;
\endif
COMMIT;
