-- A customer redeems the coupon, and starts over when the server says so.
-- @retry 40001 40P01
BEGIN;
SELECT max_uses FROM coupon WHERE id = 1 \gset
SELECT count(*) AS used FROM redemption WHERE coupon_id = 1 \gset
\if :used < :max_uses
INSERT INTO redemption (coupon_id, customer) VALUES (1, :client_id);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
