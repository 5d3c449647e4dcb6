-- Each event is locked, sent and marked; one that commits late is found when it has.
\set job null
BEGIN;
SELECT id AS job FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE job SET state = 'sent' WHERE id = :job;
COMMIT;
