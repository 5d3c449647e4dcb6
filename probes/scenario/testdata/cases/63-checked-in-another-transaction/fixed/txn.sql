-- @retry 40001
BEGIN;
UPDATE stock SET qty = qty - 1 WHERE sku = 'tea' AND qty > 0;
-- @rows sold
-- @decide :sold = 1
INSERT INTO sale (sku) VALUES ('tea');
COMMIT;
