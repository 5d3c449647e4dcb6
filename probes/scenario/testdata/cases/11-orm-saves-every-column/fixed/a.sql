-- Optimistic locking: the edition that was read must still be there.
-- @retry 40001
BEGIN;
\set email null
\set phone null
\set edition null
SELECT email, phone, edition FROM contact WHERE id = :id \aset
UPDATE contact SET email = :new_email, phone = :phone, edition = edition + 1 WHERE id = :id AND edition = :edition;
-- @rows saved
-- @decide :saved = 1
INSERT INTO acknowledged VALUES ('email', :new_email);
COMMIT;
