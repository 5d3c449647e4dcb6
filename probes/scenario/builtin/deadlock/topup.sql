-- Read under a lock that others may hold as well, then write.
BEGIN;
SELECT cents FROM purse WHERE id = :purse FOR SHARE \gset
\set more :cents + 1
UPDATE purse SET cents = :more WHERE id = :purse;
COMMIT;
