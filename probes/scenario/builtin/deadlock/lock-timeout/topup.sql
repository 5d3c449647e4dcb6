-- No lock is waited for longer than that; whoever does not get it starts over.
-- @retry 40001 40P01 55P03
\set pause random(0, 20)
\sleep :pause ms
BEGIN;
SET LOCAL lock_timeout = '20ms';
SELECT cents FROM purse WHERE id = :purse FOR SHARE \gset
\set more :cents + 1
UPDATE purse SET cents = :more WHERE id = :purse;
COMMIT;
