-- The check runs on autocommit, so no isolation level sees both.
SELECT qty FROM stock WHERE sku = 'tea' \gset
-- @decide :qty > 0
BEGIN;
UPDATE stock SET qty = qty - 1 WHERE sku = 'tea';
INSERT INTO sale (sku) VALUES ('tea');
COMMIT;
