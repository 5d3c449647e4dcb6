-- Lock every admin row, in order, and count what the lock returned.
-- @retry 40001 40P01
BEGIN;
SELECT person FROM seat_holder WHERE workspace = :workspace AND role = 'admin' ORDER BY person FOR UPDATE;
-- @rows admins
-- @decide :admins > 1
UPDATE seat_holder SET role = 'guest' WHERE workspace = :workspace AND person = :me;
COMMIT;
