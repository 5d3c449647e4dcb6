ALTER TABLE account ADD CONSTRAINT balance_not_negative CHECK (balance >= 0);
