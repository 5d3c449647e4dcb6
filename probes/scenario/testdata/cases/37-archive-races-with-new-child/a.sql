-- Add a card, if the board is alive.
BEGIN;
\set archived null
SELECT archived FROM board WHERE id = :board \aset
-- @decide not :archived
INSERT INTO card (board_id) VALUES (:board);
COMMIT;
