-- A page is viewed; the call starts over when the server says so.
-- @retry 40001 40P01
\set page random(1, :pages)
BEGIN;
SELECT views FROM page WHERE id = :page \gset
\set next :views + 1
UPDATE page SET views = :next WHERE id = :page;
COMMIT;
