-- The sweeper gives expired holds back. Its own transition is guarded.
BEGIN;
UPDATE hold SET state = 'released' WHERE id = :hold AND state = 'held';
-- @rows swept
-- @decide :swept = 1
UPDATE seat_stock SET free = free + 1 WHERE id = 1;
COMMIT;
