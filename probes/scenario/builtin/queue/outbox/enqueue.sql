-- The event is written in the transaction of what it tells, which goes on for a while.
\set pause random(0, 50)
BEGIN;
INSERT INTO job DEFAULT VALUES RETURNING id AS job \gset
\sleep :pause ms
COMMIT;
