-- Lock both rows in id order before touching either; start over when the database says so.
-- @retry 40001 40P01
BEGIN;
SELECT id FROM acct WHERE id IN (:src, :dst) ORDER BY id FOR UPDATE;
UPDATE acct SET cents = cents - :amount WHERE id = :src AND cents >= :amount;
-- @rows n
-- @decide :n = 1
UPDATE acct SET cents = cents + :amount WHERE id = :dst;
UPDATE transfer_request SET state = 'done' WHERE id = :req;
COMMIT;
