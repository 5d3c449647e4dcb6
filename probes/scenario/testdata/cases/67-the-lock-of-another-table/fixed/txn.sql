-- @retry 40001
BEGIN;
SELECT o.status FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = 9 FOR UPDATE OF o \gset
-- @decide :status = 'open'
INSERT INTO payment (order_id) VALUES (9);
UPDATE orders SET status = 'paid' WHERE id = 9;
COMMIT;
