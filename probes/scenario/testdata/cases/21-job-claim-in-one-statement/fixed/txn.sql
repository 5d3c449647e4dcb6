-- @retry 40001
BEGIN;
\set errand null
UPDATE errand SET state = 'running', worker = :worker WHERE id = (SELECT id FROM errand WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS errand \aset
-- @decide :errand is not null
COMMIT;
-- @outside
INSERT INTO ran VALUES (:errand, :worker);
