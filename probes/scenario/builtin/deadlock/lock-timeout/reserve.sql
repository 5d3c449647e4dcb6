-- No lock is waited for longer than that; whoever does not get it starts over.
-- @retry 40001 40P01 55P03
\set pause random(0, 20)
\sleep :pause ms
BEGIN;
SET LOCAL lock_timeout = '20ms';
SELECT pg_advisory_xact_lock(:first);
SELECT pg_advisory_xact_lock(:second);
UPDATE room SET taken = taken + 1 WHERE id = :first;
COMMIT;
