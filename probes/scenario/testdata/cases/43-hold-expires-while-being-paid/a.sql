-- The buyer pays for a held seat.
BEGIN;
\set held false
SELECT state = 'held' AS held FROM hold WHERE id = :hold \aset
-- @decide :held
UPDATE hold SET state = 'sold' WHERE id = :hold;
COMMIT;
