-- "lockForUpdate() on the newest invoice makes it safe."
BEGIN;
\set no null
SELECT no FROM folio WHERE book = :book ORDER BY no DESC LIMIT 1 FOR UPDATE \aset
\set next_no case when :no is null then 1 else :no + 1 end
INSERT INTO folio (book, no) VALUES (:book, :next_no);
COMMIT;
