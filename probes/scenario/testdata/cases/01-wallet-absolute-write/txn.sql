-- Pay out 80.00 from the purse: read, decide in the application, write the new balance back.
BEGIN;
\set cents null
SELECT cents FROM purse WHERE id = :purse \aset
-- @decide :cents >= :amount
\set left :cents - :amount
UPDATE purse SET cents = :left WHERE id = :purse;
INSERT INTO payout (purse_id, cents) VALUES (:purse, :amount);
COMMIT;
