-- The comment in the code says "serializable"; the options passed are nil, which means the default level.
BEGIN;
\set revoked null
SELECT revoked FROM grant_token WHERE id = :token \aset
-- @decide not :revoked
UPDATE grant_token SET revoked = true WHERE id = :token;
INSERT INTO grant_token VALUES (nextval('grant_ids'), :token, false);
COMMIT;
