-- A plain UPDATE of a non-key column takes FOR NO KEY UPDATE, which gets along with FOR KEY SHARE.
-- @retry 40001 40P01
BEGIN;
INSERT INTO reply VALUES (:reply, :article);
UPDATE article SET replies = replies + 1 WHERE id = :article;
COMMIT;
