-- The lock comes first, and new tasks wait for it.
-- @retry 40001
BEGIN;
SELECT id FROM project WHERE id = 1 FOR UPDATE;
SELECT count(*) AS tasks FROM task WHERE project = 1 \gset
-- @decide :tasks = 0
DELETE FROM project WHERE id = 1;
COMMIT;
