-- Started over from BEGIN when the server rolls it back.
-- @retry 40001 40P01
BEGIN;
SELECT cents FROM purse WHERE id = :purse FOR SHARE \gset
\set more :cents + 1
UPDATE purse SET cents = :more WHERE id = :purse;
COMMIT;
