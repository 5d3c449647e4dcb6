-- Somebody signs up: the index decides, the look before it is a courtesy.
-- @retry 40001 40P01
-- @refuse 23505
BEGIN;
SELECT EXISTS (SELECT 1 FROM member WHERE lower(email) = 'user' || :person || '@example.test') AS taken \gset
\if :taken
ROLLBACK;
-- @decide
\else
INSERT INTO member (email) VALUES ('user' || :person || '@example.test');
COMMIT;
\endif
