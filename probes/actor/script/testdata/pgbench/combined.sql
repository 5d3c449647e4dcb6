-- protocols: simple. Several statements in one message, \gset and \aset.
SELECT 1 AS one \; SELECT 2 AS two \; SELECT 3 AS three \gset
\set x debug(:three)
\; SELECT 6 AS i6 \; SELECT 7 AS i7 \; \aset
SELECT 8 AS i6 UNION SELECT 9 ORDER BY 1 DESC \aset
\set x debug(:i6 * 10 + :i7)
SELECT 5 AS i5 WHERE false \aset
\set i5 5
SELECT 1 AS i5 WHERE false \aset
\; \; SELECT 0 AS z \; SELECT 55 AS z \; \; \gset p_
\set x debug(:p_z + :i5)
SELECT \gset
SELECT 0 AS i4, 4 AS i4 \gset
\set x debug(:i4)
SELECT 1 AS "A", 2 AS a;
\gset Q_
\set x debug(:Q_A * 10 + :Q_a)
BEGIN \; INSERT INTO t (a) VALUES (:i4) \; INSERT INTO t (a) VALUES (:i5) \; COMMIT;
