-- protocols: simple extended prepared. The first tries fail: which variables and numbers are kept?
-- @retry 40001 40P01
\set count :count + 1
\set r random(1, 1000000)
BEGIN;
SELECT nextval('tries') AS try \gset
INSERT INTO t (a, b, c) VALUES (:try::text, :count::text, :r::text);
\set r2 random(1, 1000000)
DO $$ BEGIN IF (SELECT last_value % 3 FROM tries) > 0 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF; END $$;
INSERT INTO t (a, b, c) VALUES (:try::text, :count::text, :r2::text);
COMMIT;
