-- A page is viewed: read the counter, add one, write it back.
\set page random(1, :pages)
BEGIN;
SELECT views FROM page WHERE id = :page \gset
\set next :views + 1
UPDATE page SET views = :next WHERE id = :page;
COMMIT;
