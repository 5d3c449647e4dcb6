-- A customer redeems the coupon: count the uses, compare, insert one more.
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
