BEGIN;
SELECT count(*) AS duty FROM oncall WHERE duty \gset
\if :duty < 2
ROLLBACK;
-- @decide
\else
UPDATE oncall SET duty = false WHERE doctor = 'ann';
COMMIT;
\endif
