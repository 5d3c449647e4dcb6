-- @retry 40001
BEGIN;
UPDATE court SET edition = edition + 1 WHERE id = :court;
SELECT count(*) AS clashes FROM game WHERE court_id = :court AND hours && :hours::int4range \gset
-- @decide :clashes = 0
INSERT INTO game (court_id, hours, club) VALUES (:court, :hours, :club);
COMMIT;
