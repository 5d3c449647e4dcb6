-- After its wait the UPDATE reads its row again, and the subquery not.
BEGIN;
INSERT INTO entry (cents) VALUES (:cents);
UPDATE total SET cents = (SELECT sum(cents) FROM entry) WHERE id = 1;
COMMIT;
