-- No lock is waited for longer than that; whoever does not get it starts over.
-- @retry 40001 40P01 55P03
\set pause random(0, 20)
\sleep :pause ms
BEGIN;
SET LOCAL lock_timeout = '20ms';
INSERT INTO reply (article) VALUES (:article);
SELECT replies FROM article WHERE id = :article FOR UPDATE \gset
UPDATE article SET replies = replies + 1 WHERE id = :article;
COMMIT;
