-- Both accounts are locked in the order of their keys before either is touched.
BEGIN;
SELECT id FROM account WHERE id IN (:src, :dst) ORDER BY id FOR NO KEY UPDATE;
UPDATE account SET balance = balance - 1 WHERE id = :src;
UPDATE account SET balance = balance + 1 WHERE id = :dst;
COMMIT;
