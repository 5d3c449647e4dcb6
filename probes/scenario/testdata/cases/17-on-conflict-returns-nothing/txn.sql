-- The one-statement upsert that everybody copies: insert or else select.
BEGIN;
\set label_id null
WITH made AS (INSERT INTO label (name) VALUES (:name) ON CONFLICT (name) DO NOTHING RETURNING id) SELECT id AS label_id FROM made UNION ALL SELECT id FROM label WHERE name = :name \aset
INSERT INTO note_label VALUES (:note, :label_id);
COMMIT;
