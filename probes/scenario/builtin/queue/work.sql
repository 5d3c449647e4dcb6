-- Select a job, mark it, do it.
\set job null
BEGIN;
SELECT id AS job FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 \aset
-- @decide :job is not null
UPDATE job SET state = 'running', worker = :client_id WHERE id = :job;
COMMIT;
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'done' WHERE id = :job;
