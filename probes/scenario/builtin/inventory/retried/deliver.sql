-- Goods come in.
-- @retry 40001 40P01
\set item random(1, :items)
\set quantity random(5, 10)
BEGIN;
UPDATE stock SET on_hand = on_hand + :quantity WHERE item = :item;
INSERT INTO delivery (item, quantity) VALUES (:item, :quantity);
COMMIT;
