-- The foreign key of the new row takes FOR KEY SHARE on the article, which FOR
-- UPDATE of anybody else has to wait for.
BEGIN;
INSERT INTO reply (article) VALUES (:article);
SELECT replies FROM article WHERE id = :article FOR UPDATE \gset
UPDATE article SET replies = replies + 1 WHERE id = :article;
COMMIT;
