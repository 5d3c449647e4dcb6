-- Spend the token first; no row, no change.
-- @retry 40001
BEGIN;
\set login_id null
DELETE FROM reset_token WHERE code = :code RETURNING login_id \aset
-- @decide :login_id is not null
INSERT INTO secret_changed VALUES (:login_id, :code, :secret);
UPDATE login SET secret = :secret WHERE id = :login_id;
COMMIT;
