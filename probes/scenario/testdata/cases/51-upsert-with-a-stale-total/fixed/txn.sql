-- What is added is added to the row that is there.
-- @retry 40001
BEGIN;
INSERT INTO click DEFAULT VALUES;
INSERT INTO meter VALUES ('ad', 1) ON CONFLICT (name) DO UPDATE SET n = meter.n + EXCLUDED.n;
COMMIT;
