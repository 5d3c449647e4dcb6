-- @retry 40001 40P01
BEGIN;
\set cents null
SELECT cents FROM deposit WHERE id = :deposit \aset
UPDATE till SET cents = cents + :cents WHERE id = 1;
UPDATE deposit SET state = 'booked' WHERE id = :deposit;
COMMIT;
