-- The subquery is not looked at again when the row that it chose was locked.
\set job null
UPDATE job SET state = 'running', worker = :client_id WHERE id = (SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1) RETURNING id AS job \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'done' WHERE id = :job;
