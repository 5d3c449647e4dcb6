-- @retry 40001
-- @refuse 23503
BEGIN;
INSERT INTO task VALUES (7, 1);
INSERT INTO promise VALUES (7);
COMMIT;
