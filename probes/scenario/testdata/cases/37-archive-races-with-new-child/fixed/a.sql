-- Both write the board row, each under its own guard.
-- @retry 40001
BEGIN;
UPDATE board SET open_cards = open_cards + 1 WHERE id = :board AND NOT archived;
-- @rows alive
-- @decide :alive = 1
INSERT INTO card (board_id) VALUES (:board);
COMMIT;
