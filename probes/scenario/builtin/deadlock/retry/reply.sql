-- Started over from BEGIN when the server rolls it back.
-- @retry 40001 40P01
BEGIN;
INSERT INTO reply (article) VALUES (:article);
SELECT replies FROM article WHERE id = :article FOR UPDATE \gset
UPDATE article SET replies = replies + 1 WHERE id = :article;
COMMIT;
