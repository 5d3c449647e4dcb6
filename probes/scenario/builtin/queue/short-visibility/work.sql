-- A claim lasts 5 ms, and the work takes 20.
\set job null
UPDATE job SET visible = clock_timestamp() + interval '5 ms', worker = :client_id WHERE id = (SELECT id FROM job WHERE state <> 'done' AND visible < clock_timestamp() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS job \aset
-- @decide :job is not null
\sleep 20 ms
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'done' WHERE id = :job;
