-- A unique constraint, and take the next number again when it was taken.
-- @retry 23505 40001
BEGIN;
SELECT max(no) AS no FROM folio WHERE book = :book \gset
\set next_no case when :no is null then 1 else :no + 1 end
INSERT INTO folio (book, no) VALUES (:book, :next_no);
COMMIT;
