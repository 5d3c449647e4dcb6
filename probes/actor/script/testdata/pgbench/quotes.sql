-- protocols: simple extended prepared. Semicolons and colons that end nothing and name nothing.
INSERT INTO t (a) VALUES ('a;b'';c'), (E'a\';b'), ($$a;b$$), ($x$a;$$;b$x$), ("substr"('x;y', 1)); -- ; not here
INSERT INTO t (a /* ; /* nested ; */ */, b) VALUES
  ('12:30:00'::time::text, -- it's a comment; really
   (array[1,2,3])[2:3]::text);
INSERT INTO t (a) SELECT 'x' || ';' WHERE (true
  AND (';' = ';'));
DO $do$ BEGIN INSERT INTO t (a) VALUES ('in a block;'); END; $do$;
CREATE OR REPLACE FUNCTION twice(i int) RETURNS int LANGUAGE sql
BEGIN ATOMIC
  SELECT CASE WHEN i > 0 THEN 2 * i ELSE 0 END;
END;
INSERT INTO t (a) VALUES (twice(21)::text);
SELECT 'ümläut' AS größe \gset
INSERT INTO t (a, b) VALUES (:größe::text, U&'\0041;');
;
/* a comment alone is an empty statement */
INSERT INTO t (a) VALUES (1::text)
