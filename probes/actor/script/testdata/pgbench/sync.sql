-- protocols: extended prepared, from 17. A pipeline of several transactions.
\set a random(1, 1000)
\startpipeline
INSERT INTO t (a) VALUES (:a::text);
\syncpipeline
INSERT INTO t (a) VALUES ('after the sync');
\if :a > 500
\syncpipeline
INSERT INTO t (b) VALUES (:a::text);
\endif
\endpipeline
