-- A mark per row instead of a cursor over ids.
-- @retry 40001
BEGIN;
WITH out AS (UPDATE outbox SET sent = true WHERE id IN (SELECT id FROM outbox WHERE NOT sent ORDER BY id FOR UPDATE SKIP LOCKED) RETURNING id) INSERT INTO delivered SELECT id FROM out;
COMMIT;
BEGIN;
WITH out AS (UPDATE outbox SET sent = true WHERE id IN (SELECT id FROM outbox WHERE NOT sent ORDER BY id FOR UPDATE SKIP LOCKED) RETURNING id) INSERT INTO delivered SELECT id FROM out;
COMMIT;
