-- The key comes with the request; whoever sends it again gets the first answer.
-- @retry 40001 40P01
\set key random(1, 1000000000000)
\set account random(1, :accounts)
\set cents random(1, 5)
\set fresh null
BEGIN;
INSERT INTO payment (key, account, cents) VALUES (:key, :account, :cents) ON CONFLICT (key) DO NOTHING RETURNING id AS fresh \aset
\if :fresh is not null
UPDATE account SET balance = balance - :cents WHERE id = :account AND balance >= :cents;
-- @rows enough
-- @decide :enough = 1
\endif
COMMIT;
