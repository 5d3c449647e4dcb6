BEGIN;
SELECT cents AS first FROM account WHERE id = 1 \gset
SELECT cents AS second FROM account WHERE id = 2 \gset
\set total :first + :second
INSERT INTO report VALUES (:total);
COMMIT;
