-- Right at READ COMMITTED. Above it the statement that waits for the lock has taken the snapshot already.
BEGIN;
SELECT pg_advisory_xact_lock(101);
SELECT count(*) AS bookings FROM booking WHERE room = 101 AND day = '2026-05-01' \gset
-- @decide :bookings = 0
INSERT INTO booking (room, day) VALUES (101, '2026-05-01');
COMMIT;
