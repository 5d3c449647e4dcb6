-- Takes the lock it will need.
-- @retry 40001 40P01
BEGIN;
\set cents null
SELECT cents FROM wallet WHERE id = 1 FOR UPDATE \aset
UPDATE wallet SET cents = :cents + (SELECT cents FROM top_up WHERE id = :top_up) WHERE id = 1;
UPDATE top_up SET booked = true WHERE id = :top_up;
COMMIT;
