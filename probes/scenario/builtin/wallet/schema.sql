-- A wallet as many begin: one row per account, and the balance in it.
CREATE TABLE account (
    id      integer PRIMARY KEY,
    balance bigint  NOT NULL
);

-- Money that came in (positive) and went out (negative): what the payment
-- provider has in its books as well.
CREATE TABLE payment (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES account,
    amount     bigint  NOT NULL
);

INSERT INTO account (id, balance)
SELECT id, :start FROM generate_series(1, :accounts) AS id;
