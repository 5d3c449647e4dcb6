-- The lock that the write will need.
BEGIN;
SELECT cents FROM purse WHERE id = :purse FOR NO KEY UPDATE \gset
\set more :cents + 1
UPDATE purse SET cents = :more WHERE id = :purse;
COMMIT;
