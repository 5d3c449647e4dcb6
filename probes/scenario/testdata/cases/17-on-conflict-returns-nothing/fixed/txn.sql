-- Two statements: the second one has a snapshot that sees what the first one waited for.
-- @retry 40001
BEGIN;
INSERT INTO label (name) VALUES (:name) ON CONFLICT (name) DO NOTHING;
\set label_id null
SELECT id AS label_id FROM label WHERE name = :name \aset
INSERT INTO note_label VALUES (:note, :label_id);
COMMIT;
