-- A customer buys the last seat: the table refuses a second ticket for it.
-- @retry 40001 40P01
-- @refuse 23505
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
