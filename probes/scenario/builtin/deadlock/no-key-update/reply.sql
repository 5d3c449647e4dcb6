-- A plain UPDATE takes FOR NO KEY UPDATE, which gets along with FOR KEY SHARE.
BEGIN;
INSERT INTO reply (article) VALUES (:article);
UPDATE article SET replies = replies + 1 WHERE id = :article;
COMMIT;
