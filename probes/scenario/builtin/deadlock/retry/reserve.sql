-- Started over from BEGIN when the server rolls it back.
-- @retry 40001 40P01
BEGIN;
SELECT pg_advisory_xact_lock(:first);
SELECT pg_advisory_xact_lock(:second);
UPDATE room SET taken = taken + 1 WHERE id = :first;
COMMIT;
