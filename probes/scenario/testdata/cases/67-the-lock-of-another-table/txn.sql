-- The customer is locked; the order was read before the wait and is not read again.
BEGIN;
SELECT o.status FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = 9 FOR UPDATE OF c \gset
-- @decide :status = 'open'
INSERT INTO payment (order_id) VALUES (9);
UPDATE orders SET status = 'paid' WHERE id = 9;
COMMIT;
