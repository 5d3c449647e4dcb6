-- Withdraws 10 from checking, and 1 more when that overdraws both together.
-- @retry 40001
BEGIN;
SELECT sum(balance) AS total FROM account \gset
UPDATE account SET balance = balance - case when :total::int < 10 then 11 else 10 end WHERE name = 'checking';
COMMIT;
