-- The increment is guarded, but nobody looks at whether it did anything.
BEGIN;
\set cap null
\set taken null
SELECT cap, taken FROM promo WHERE id = :promo \aset
-- @decide :taken < :cap
INSERT INTO sale (promo_id, buyer, cents) VALUES (:promo, :buyer, 500);
UPDATE promo SET taken = taken + 1 WHERE id = :promo AND taken < cap;
COMMIT;
