-- A customer buys the last seat: the UPDATE takes it only while it is free, and
-- whether it found the row is the decision.
-- @retry 40001 40P01
\set taken 0
BEGIN;
UPDATE seat SET sold_to = :client_id WHERE id = :seat AND sold_to IS NULL RETURNING 1 AS taken \aset
\if :taken = 1
INSERT INTO ticket (seat_id, customer) VALUES (:seat, :client_id);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
