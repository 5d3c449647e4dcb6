-- @retry 40001
BEGIN;
UPDATE grant_token SET revoked = true WHERE id = :token AND NOT revoked;
-- @rows mine
-- @decide :mine = 1
INSERT INTO grant_token VALUES (nextval('grant_ids'), :token, false);
COMMIT;
