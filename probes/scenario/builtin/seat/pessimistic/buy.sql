-- A customer buys the last seat: its row is locked before it is looked at.
-- @retry 40001 40P01
BEGIN;
SELECT sold_to IS NULL AS free FROM seat WHERE id = :seat FOR UPDATE \gset
\if :free
UPDATE seat SET sold_to = :client_id WHERE id = :seat;
INSERT INTO ticket (seat_id, customer) VALUES (:seat, :client_id);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
