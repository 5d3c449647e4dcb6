CREATE TABLE account (
    id      integer PRIMARY KEY,
    balance integer NOT NULL
);

CREATE TABLE payment (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key     text UNIQUE,
    account integer NOT NULL REFERENCES account,
    cents   integer NOT NULL,
    made    timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE charge (
    account integer NOT NULL,
    cents   integer NOT NULL
);

INSERT INTO account SELECT id, :start FROM generate_series(1, :accounts) AS id;
