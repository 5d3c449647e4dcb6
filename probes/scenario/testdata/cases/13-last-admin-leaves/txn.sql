-- An admin steps down, as long as somebody else can still administer the workspace.
BEGIN;
SELECT count(*) AS others FROM seat_holder WHERE workspace = :workspace AND role = 'admin' AND person <> :me \gset
-- @decide :others > 0
UPDATE seat_holder SET role = 'guest' WHERE workspace = :workspace AND person = :me;
COMMIT;
