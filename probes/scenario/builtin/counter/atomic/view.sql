-- A page is viewed: the counter is changed in place.
-- @retry 40001 40P01
\set page random(1, :pages)
BEGIN;
UPDATE page SET views = views + 1 WHERE id = :page;
COMMIT;
