-- @retry 40001
BEGIN;
SELECT name, balance FROM account ORDER BY name;
COMMIT;
