-- A node judges the lease by its own clock; that of b is 12 seconds ahead.
BEGIN;
\set my_now null
SELECT at + :skew::interval AS my_now FROM true_time \aset
UPDATE leader_lease SET holder = :me, until = :my_now::timestamptz + interval '10 s' WHERE id = 1 AND until < :my_now::timestamptz;
-- @rows won
-- @decide :won = 1
INSERT INTO reign SELECT :me, at, at + interval '10 s' FROM true_time;
COMMIT;
