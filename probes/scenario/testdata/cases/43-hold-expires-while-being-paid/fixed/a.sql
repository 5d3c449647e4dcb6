-- @retry 40001
BEGIN;
UPDATE hold SET state = 'sold' WHERE id = :hold AND state = 'held';
-- @rows sold
-- @decide :sold = 1
COMMIT;
