-- A customer buys the last seat: look whether it is free, then take it.
BEGIN;
SELECT sold_to IS NULL AS free FROM seat WHERE id = :seat \gset
\if :free
UPDATE seat SET sold_to = :client_id WHERE id = :seat;
INSERT INTO ticket (seat_id, customer) VALUES (:seat, :client_id);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
