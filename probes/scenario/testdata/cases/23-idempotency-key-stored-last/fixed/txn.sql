-- Claim the key and commit the claim before anything leaves the building.
-- @retry 40001
BEGIN;
INSERT INTO idem_key VALUES (:key, 'started') ON CONFLICT (key) DO NOTHING;
-- @rows claimed
-- @decide :claimed = 1
COMMIT;
-- @outside
INSERT INTO provider_charge (key, cents) VALUES (:key, :cents);
UPDATE idem_key SET state = 'done' WHERE key = :key;
