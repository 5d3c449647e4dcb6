-- protocols: simple. What only text substitution can do.
\set n 7
\set d 1.5 * 3
\set yes 1 = 1
\set no null
\set col 1
INSERT INTO t (a, b, c) VALUES (':n and :undefined', ':d', '::n :::n a:n');
INSERT INTO t (a, b, c) VALUES (:n, :d, :yes);
INSERT INTO t (a, b) VALUES (:no, 'x');
\set given2 :n
INSERT INTO t (a) SELECT 'n is \:n and $$:n$$' WHERE :n > 0 /* :n */;
INSERT INTO t (a) VALUES ($$:n$$), (E':n\\:n');
SELECT 'b' AS column \gset
INSERT INTO t (:column) VALUES (:n);
