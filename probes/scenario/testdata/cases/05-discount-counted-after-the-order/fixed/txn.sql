-- @retry 40001
BEGIN;
\set cap null
\set taken null
SELECT cap, taken FROM promo WHERE id = :promo \aset
-- @decide :taken < :cap
INSERT INTO sale (promo_id, buyer, cents) VALUES (:promo, :buyer, 500);
UPDATE promo SET taken = taken + 1 WHERE id = :promo AND taken < cap;
-- @rows counted
-- @decide :counted = 1
COMMIT;
