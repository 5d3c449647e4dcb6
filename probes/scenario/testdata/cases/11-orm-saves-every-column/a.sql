-- The user changes the e-mail address; the ORM writes back every column it loaded.
BEGIN;
\set email null
\set phone null
SELECT email, phone FROM contact WHERE id = :id \aset
UPDATE contact SET email = :new_email, phone = :phone WHERE id = :id;
INSERT INTO acknowledged VALUES ('email', :new_email);
COMMIT;
