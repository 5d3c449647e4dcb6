-- Remove a project that has no tasks.
BEGIN;
SELECT count(*) AS tasks FROM task WHERE project = 1 \gset
-- @decide :tasks = 0
DELETE FROM project WHERE id = 1;
COMMIT;
