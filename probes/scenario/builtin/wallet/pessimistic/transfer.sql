-- Money moves: both rows are locked in id order before their balances are
-- read, so that nobody changes them until this call is done.
-- @retry 40001 40P01
\set src random(1, :accounts)
\set dst 1 + (:src + random(0, :accounts - 2)) % :accounts
\set amount random(1, :most)
BEGIN;
SELECT id FROM account WHERE id IN (:src, :dst) ORDER BY id FOR UPDATE;
SELECT balance AS has FROM account WHERE id = :src \gset
SELECT balance AS gets FROM account WHERE id = :dst \gset
\if :has < :amount
ROLLBACK;
-- @decide
\else
\set rest :has - :amount
\set grown :gets + :amount
\if :src < :dst
UPDATE account SET balance = :rest WHERE id = :src;
UPDATE account SET balance = :grown WHERE id = :dst;
\else
UPDATE account SET balance = :grown WHERE id = :dst;
UPDATE account SET balance = :rest WHERE id = :src;
\endif
COMMIT;
\endif
