BEGIN;
SELECT count(*) AS clashes FROM stay WHERE room_id = :room AND nights && :nights::daterange \gset
-- @decide :clashes = 0
INSERT INTO stay (room_id, nights, guest) VALUES (:room, :nights, :guest);
COMMIT;
