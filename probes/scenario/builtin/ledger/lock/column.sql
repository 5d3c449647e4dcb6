-- Something to write in the row of the account that pays.
ALTER TABLE account ADD COLUMN postings bigint NOT NULL DEFAULT 0;
