-- Somebody signs up, and the button was pressed twice: look whether the address
-- is taken, then insert it.
BEGIN;
SELECT EXISTS (SELECT 1 FROM member WHERE lower(email) = 'user' || :person || '@example.test') AS taken \gset
\if :taken
ROLLBACK;
-- @decide
\else
INSERT INTO member (email) VALUES ('user' || :person || '@example.test');
COMMIT;
\endif
