-- @retry 40001
-- @refuse 23505
BEGIN;
INSERT INTO booking (room, day) VALUES (101, '2026-05-01');
COMMIT;
