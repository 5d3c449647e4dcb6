-- A customer orders, and starts over when the server says so.
-- @retry 40001 40P01
\set item random(1, :items)
\set quantity random(1, 3)
BEGIN;
SELECT on_hand FROM stock WHERE item = :item \gset
\if :on_hand >= :quantity
UPDATE stock SET on_hand = on_hand - :quantity WHERE item = :item;
INSERT INTO purchase (item, quantity) VALUES (:item, :quantity);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
