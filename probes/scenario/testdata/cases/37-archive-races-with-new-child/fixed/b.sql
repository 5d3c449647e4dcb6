-- @retry 40001
BEGIN;
UPDATE board SET archived = true WHERE id = :board AND open_cards = 0;
-- @rows archived
-- @decide :archived = 1
COMMIT;
