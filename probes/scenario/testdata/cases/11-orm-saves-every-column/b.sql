-- At the same time a support agent changes the phone number.
BEGIN;
\set email null
\set phone null
SELECT email, phone FROM contact WHERE id = :id \aset
UPDATE contact SET email = :email, phone = :new_phone WHERE id = :id;
INSERT INTO acknowledged VALUES ('phone', :new_phone);
COMMIT;
