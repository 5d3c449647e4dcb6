-- @retry 40001 40P01
\set src random(1, 999)
\set dst random(:src + 1, 1000)
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = :src;
UPDATE account SET balance = balance + 1 WHERE id = :dst;
COMMIT;
