-- Archive the board, if nothing is open.
BEGIN;
SELECT count(*) AS open FROM card WHERE board_id = :board AND NOT done \gset
-- @decide :open = 0
UPDATE board SET archived = true WHERE id = :board;
COMMIT;
