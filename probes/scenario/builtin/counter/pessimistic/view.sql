-- A page is viewed: the row is locked before it is read.
-- @retry 40001 40P01
\set page random(1, :pages)
BEGIN;
SELECT views FROM page WHERE id = :page FOR UPDATE \gset
\set next :views + 1
UPDATE page SET views = :next WHERE id = :page;
COMMIT;
