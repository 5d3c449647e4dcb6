-- The lock lasts until the job is done; the server gives it back when the worker dies.
\set job null
BEGIN;
SELECT id AS job FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'done' WHERE id = :job;
COMMIT;
