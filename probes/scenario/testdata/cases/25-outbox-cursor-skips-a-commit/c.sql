-- The relay: everything after the cursor, then move the cursor. Two passes.
BEGIN;
\set last_id null
SELECT last_id FROM relay_cursor WHERE name = 'main' FOR UPDATE \aset
WITH out AS (INSERT INTO delivered SELECT id FROM outbox WHERE id > :last_id ORDER BY id RETURNING outbox_id) SELECT coalesce(max(outbox_id), :last_id) AS upto FROM out \gset
UPDATE relay_cursor SET last_id = :upto WHERE name = 'main';
COMMIT;
BEGIN;
\set last_id null
SELECT last_id FROM relay_cursor WHERE name = 'main' FOR UPDATE \aset
WITH out AS (INSERT INTO delivered SELECT id FROM outbox WHERE id > :last_id ORDER BY id RETURNING outbox_id) SELECT coalesce(max(outbox_id), :last_id) AS upto FROM out \gset
UPDATE relay_cursor SET last_id = :upto WHERE name = 'main';
COMMIT;
