-- @retry 40001
BEGIN;
INSERT INTO entry (cents) VALUES (:cents);
UPDATE total SET cents = cents + :cents WHERE id = 1;
COMMIT;
