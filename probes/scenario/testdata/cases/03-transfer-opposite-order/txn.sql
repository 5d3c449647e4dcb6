-- An accepted transfer 1 -> 2. Debit first, then credit: the natural order.
BEGIN;
UPDATE acct SET cents = cents - :amount WHERE id = :src AND cents >= :amount;
-- @rows n
-- @decide :n = 1
UPDATE acct SET cents = cents + :amount WHERE id = :dst;
UPDATE transfer_request SET state = 'done' WHERE id = :req;
COMMIT;
