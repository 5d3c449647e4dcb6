BEGIN;
SELECT EXISTS (SELECT 1 FROM member WHERE lower(mail) = lower(:mail)) AS taken \gset
-- @decide not :taken
INSERT INTO member (mail) VALUES (:mail);
COMMIT;
