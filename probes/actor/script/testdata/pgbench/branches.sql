-- protocols: simple extended prepared. Nested conditions, evaluated only when reached.
\set i random(0, 5)
\set depth 0
\if :i = 0
  \set depth 1
  \if random(0, 1) = 1
    \set depth 2
  \elif :i * 2 = 0
    \set depth 3
  \else
    \set depth 4
  \endif
\elif :i = 1 \
  or :i = 2
  \set depth 5
\elif :i = 3
\else
  \if null
    INSERT INTO t (a) VALUES ('never');
  \elif 0.0
    INSERT INTO t (a) VALUES ('never');
  \else
    \set depth 6 + case when :i = 4 then 1 \
       else 2 end
  \endif
\endif
\set x debug(:i * 100 + :depth)
INSERT INTO t (a, b) VALUES (:i::text, :depth::text);
