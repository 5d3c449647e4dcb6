-- One statement is one snapshot.
-- @retry 40001
BEGIN;
INSERT INTO report SELECT sum(cents) FROM account;
COMMIT;
