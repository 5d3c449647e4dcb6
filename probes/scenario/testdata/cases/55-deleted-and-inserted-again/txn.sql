-- The second DELETE waits for the first one, and does not see the row that came instead.
BEGIN;
DELETE FROM preference WHERE customer = 5;
INSERT INTO preference VALUES (5, :colour);
COMMIT;
