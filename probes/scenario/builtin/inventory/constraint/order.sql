-- A customer orders; the table refuses what is not there.
-- @retry 40001 40P01
-- @refuse 23514
\set item random(1, :items)
\set quantity random(1, 3)
BEGIN;
UPDATE stock SET on_hand = on_hand - :quantity WHERE item = :item;
INSERT INTO purchase (item, quantity) VALUES (:item, :quantity);
COMMIT;
