-- A customer redeems the coupon: the UPDATE counts only while a use is left, and
-- whether it found the row is the decision.
-- @retry 40001 40P01
\set counted 0
BEGIN;
UPDATE coupon SET used = used + 1 WHERE id = 1 AND used < max_uses RETURNING 1 AS counted \aset
\if :counted = 1
INSERT INTO redemption (coupon_id, customer) VALUES (1, :client_id);
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
