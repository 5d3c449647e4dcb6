-- One advisory lock for each room, in the order in which a map gives them.
BEGIN;
SELECT pg_advisory_xact_lock(:first);
SELECT pg_advisory_xact_lock(:second);
UPDATE room SET taken = taken + 1 WHERE id = :first;
COMMIT;
