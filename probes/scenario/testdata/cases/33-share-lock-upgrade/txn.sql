-- Reads under a shared lock, "so that nobody changes it meanwhile", then writes.
BEGIN;
\set cents null
SELECT cents FROM wallet WHERE id = 1 FOR SHARE \aset
UPDATE wallet SET cents = :cents + (SELECT cents FROM top_up WHERE id = :top_up) WHERE id = 1;
UPDATE top_up SET booked = true WHERE id = :top_up;
COMMIT;
