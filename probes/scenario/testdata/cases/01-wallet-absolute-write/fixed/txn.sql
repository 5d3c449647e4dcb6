-- The check and the debit are one statement; the row count is the decision.
-- @retry 40001
BEGIN;
UPDATE purse SET cents = cents - :amount WHERE id = :purse AND cents >= :amount;
-- @rows debited
-- @decide :debited = 1
INSERT INTO payout (purse_id, cents) VALUES (:purse, :amount);
COMMIT;
