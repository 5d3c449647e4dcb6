-- A customer redeems the coupon: the table refuses one use too many.
-- @retry 40001 40P01
-- @refuse 23514
BEGIN;
UPDATE coupon SET used = used + 1 WHERE id = 1;
INSERT INTO redemption (coupon_id, customer) VALUES (1, :client_id);
COMMIT;
