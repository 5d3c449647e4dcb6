BEGIN;
UPDATE account SET cents = cents - 50 WHERE id = 1;
UPDATE account SET cents = cents + 50 WHERE id = 2;
COMMIT;
