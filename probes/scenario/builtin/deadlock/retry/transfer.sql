-- Started over from BEGIN when the server rolls it back.
-- @retry 40001 40P01
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = :src;
UPDATE account SET balance = balance + 1 WHERE id = :dst;
COMMIT;
