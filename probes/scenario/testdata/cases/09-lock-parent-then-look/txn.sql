-- Locks the parent row, then looks. Right at READ COMMITTED.
BEGIN;
SELECT id FROM court WHERE id = :court FOR UPDATE;
SELECT count(*) AS clashes FROM game WHERE court_id = :court AND hours && :hours::int4range \gset
-- @decide :clashes = 0
INSERT INTO game (court_id, hours, club) VALUES (:court, :hours, :club);
COMMIT;
