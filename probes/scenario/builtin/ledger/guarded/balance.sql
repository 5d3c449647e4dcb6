-- The balance beside the entries, kept in the same transaction.
ALTER TABLE account ADD COLUMN balance bigint NOT NULL DEFAULT 0;
UPDATE account SET balance = (SELECT sum(amount) FROM entry WHERE account_id = account.id);
