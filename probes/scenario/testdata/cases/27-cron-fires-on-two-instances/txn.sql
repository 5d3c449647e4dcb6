BEGIN;
\set due null
SELECT now() - last_run >= interval '12 hours' AS due FROM cron_mark WHERE name = 'payroll' \aset
-- @decide :due
INSERT INTO payroll_run (instance) VALUES (:instance);
UPDATE cron_mark SET last_run = now() WHERE name = 'payroll';
COMMIT;
