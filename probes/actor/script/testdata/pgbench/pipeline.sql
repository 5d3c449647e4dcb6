-- protocols: extended prepared. Pipelines with and without a transaction.
\set a random(1, 1000)
\startpipeline
BEGIN;
INSERT INTO t (a) VALUES (:a::text);
\set a random(1, 1000)
INSERT INTO t (a) VALUES (:a::text);
COMMIT;
\if :a > 500
INSERT INTO t (b) VALUES (:a::text);
\endif
\endpipeline
INSERT INTO t (a) VALUES ('after the pipeline');
\startpipeline
\endpipeline
