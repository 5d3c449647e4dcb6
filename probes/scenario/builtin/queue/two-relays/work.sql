-- The cursor is read by every relay, and moved when the event was sent.
\set job null
SELECT last_id FROM relay WHERE name = 'main' \gset
SELECT id AS job FROM job WHERE id > :last_id ORDER BY id LIMIT 1 \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE relay SET last_id = greatest(last_id, :job) WHERE name = 'main';
