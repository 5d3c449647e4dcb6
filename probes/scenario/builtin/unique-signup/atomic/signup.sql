-- Somebody signs up: one statement inserts the address or finds it taken.
-- @retry 40001 40P01
\set added 0
BEGIN;
INSERT INTO member (email) VALUES ('user' || :person || '@example.test') ON CONFLICT (lower(email)) DO NOTHING RETURNING 1 AS added \aset
\if :added = 1
COMMIT;
\else
ROLLBACK;
-- @decide
\endif
