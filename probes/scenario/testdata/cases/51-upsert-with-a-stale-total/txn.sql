-- The total is computed by the application, and EXCLUDED puts it over the newer one.
BEGIN;
SELECT n + 1 AS n FROM meter WHERE name = 'ad' \gset
INSERT INTO click DEFAULT VALUES;
INSERT INTO meter VALUES ('ad', :n) ON CONFLICT (name) DO UPDATE SET n = EXCLUDED.n;
COMMIT;
