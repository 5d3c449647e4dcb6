-- The smaller key first.
\set low least(:first, :second)
\set high greatest(:first, :second)
BEGIN;
SELECT pg_advisory_xact_lock(:low);
SELECT pg_advisory_xact_lock(:high);
UPDATE room SET taken = taken + 1 WHERE id = :first;
COMMIT;
