-- A claim lasts half a second, the work some milliseconds; who claimed it marks it.
\set job null
UPDATE job SET visible = clock_timestamp() + interval '500 ms', attempt = attempt + 1 WHERE id = (SELECT id FROM job WHERE state <> 'done' AND visible < clock_timestamp() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS job, attempt AS mine \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'done' WHERE id = :job AND attempt = :mine;
