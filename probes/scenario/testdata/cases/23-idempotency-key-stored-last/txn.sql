-- The client's retry arrives while the first request is still talking to the provider.
BEGIN;
SELECT count(*) AS known FROM idem_key WHERE key = :key \gset
-- @decide :known = 0
-- @outside
INSERT INTO provider_charge (key, cents) VALUES (:key, :cents);
INSERT INTO idem_key VALUES (:key, 'done');
COMMIT;
