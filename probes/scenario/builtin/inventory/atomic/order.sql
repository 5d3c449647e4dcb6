-- A customer orders: the UPDATE takes the goods only while there are enough, and
-- whether it found the row is the decision.
-- @retry 40001 40P01
\set item random(1, :items)
\set quantity random(1, 3)
\set taken 0
BEGIN;
UPDATE stock SET on_hand = on_hand - :quantity WHERE item = :item AND on_hand >= :quantity RETURNING 1 AS taken \aset
\if :taken = 1
INSERT INTO purchase (item, quantity) VALUES (:item, :quantity);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
