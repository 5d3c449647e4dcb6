-- A customer redeems the coupon: its row is written first, so that redemptions
-- queue. FOR UPDATE would do at READ COMMITTED; above it only a write tells the
-- next one that its snapshot is old.
-- @retry 40001 40P01
BEGIN;
UPDATE coupon SET max_uses = max_uses WHERE id = 1 RETURNING max_uses \gset
SELECT count(*) AS used FROM redemption WHERE coupon_id = 1 \gset
\if :used < :max_uses
INSERT INTO redemption (coupon_id, customer) VALUES (1, :client_id);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
