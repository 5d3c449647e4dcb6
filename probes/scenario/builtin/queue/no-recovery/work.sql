-- Each job is claimed once, also when its worker dies.
\set job null
UPDATE job SET state = 'running', worker = :client_id WHERE id = (SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS job \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'done' WHERE id = :job;
