-- One clock judges: the database's.
-- @retry 40001
BEGIN;
UPDATE leader_lease SET holder = :me, until = (SELECT at FROM true_time) + interval '10 s' WHERE id = 1 AND until < (SELECT at FROM true_time);
-- @rows won
-- @decide :won = 1
INSERT INTO reign SELECT :me, at, at + interval '10 s' FROM true_time;
COMMIT;
