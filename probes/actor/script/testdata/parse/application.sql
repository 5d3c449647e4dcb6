-- A transfer as an application does it: what pgbench cannot say is in comments.
-- @retry 40001 40P01
-- @refuse 23514
\set from random(1, 2)
\set to 3 - :from
\set amount random(1, 100)
BEGIN ISOLATION LEVEL REPEATABLE READ; -- @refuse 23505
SELECT balance
  -- @rows found
  FROM wallet WHERE id = :from \aset wallet_
-- @decide :found = 1 and :wallet_balance >= :amount
UPDATE wallet SET balance = :wallet_balance - :amount WHERE id = :from;
-- @rows n
\if :n <> 1
  -- @decide
  ROLLBACK;
\else
  -- @outside
  INSERT INTO mail (body) VALUES ('sent ' || :amount);
  COMMIT;
\endif
-- @on replica
SELECT sum(balance) AS total FROM wallet \gset
