-- @retry 40001
BEGIN;
UPDATE cron_mark SET last_run = now() WHERE name = 'payroll' AND now() - last_run >= interval '12 hours';
-- @rows mine
-- @decide :mine = 1
INSERT INTO payroll_run (instance) VALUES (:instance);
COMMIT;
