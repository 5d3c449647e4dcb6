-- Money from one account to another: first the one, then the other.
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = :src;
UPDATE account SET balance = balance + 1 WHERE id = :dst;
COMMIT;
