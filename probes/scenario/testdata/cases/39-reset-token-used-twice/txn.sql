-- Two people follow the link: the owner, and somebody who saw the mail.
BEGIN;
\set login_id null
SELECT login_id FROM reset_token WHERE code = :code \aset
-- @decide :login_id is not null
INSERT INTO secret_changed VALUES (:login_id, :code, :secret);
UPDATE login SET secret = :secret WHERE id = :login_id;
DELETE FROM reset_token WHERE code = :code;
COMMIT;
