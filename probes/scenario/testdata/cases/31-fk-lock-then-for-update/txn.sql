-- The insert takes FOR KEY SHARE on the article (foreign key); the explicit FOR UPDATE then conflicts with everybody else's.
BEGIN;
INSERT INTO reply VALUES (:reply, :article);
\set replies null
SELECT replies FROM article WHERE id = :article FOR UPDATE \aset
\set replies_now :replies + 1
UPDATE article SET replies = :replies_now WHERE id = :article;
COMMIT;
