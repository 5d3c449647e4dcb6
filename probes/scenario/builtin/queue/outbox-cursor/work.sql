-- Send what comes after the last one that was sent.
\set job null
BEGIN;
SELECT last_id FROM relay WHERE name = 'main' FOR UPDATE \gset
SELECT id AS job FROM job WHERE id > :last_id ORDER BY id LIMIT 1 \aset
-- @decide :job is not null
-- @outside
INSERT INTO effect VALUES (:job);
UPDATE relay SET last_id = :job WHERE name = 'main';
COMMIT;
