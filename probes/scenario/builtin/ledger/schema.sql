-- Double entry: a posting has entries that sum to zero, nothing is ever changed,
-- and a balance is the sum of an account's entries. Account 0 is the outside
-- world; all others may not fall below zero.
CREATE TABLE account (
    id integer PRIMARY KEY
);

CREATE TABLE posting (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    memo text NOT NULL
);

CREATE TABLE entry (
    posting_id bigint  NOT NULL REFERENCES posting,
    account_id integer NOT NULL REFERENCES account,
    amount     bigint  NOT NULL,
    PRIMARY KEY (posting_id, account_id)
);
CREATE INDEX entry_of_account ON entry (account_id) INCLUDE (amount);

INSERT INTO account (id) SELECT generate_series(0, :accounts);
WITH opening AS (INSERT INTO posting (memo) VALUES ('opening') RETURNING id)
INSERT INTO entry (posting_id, account_id, amount)
SELECT opening.id, n, CASE n WHEN 0 THEN -1 * :accounts * :start ELSE :start END
FROM opening, generate_series(0, :accounts) AS n;
