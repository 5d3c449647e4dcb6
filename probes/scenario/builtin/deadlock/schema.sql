CREATE TABLE account (
    id      integer PRIMARY KEY,
    balance integer NOT NULL
);

CREATE TABLE article (
    id      integer PRIMARY KEY,
    replies integer NOT NULL DEFAULT 0
);

CREATE TABLE reply (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    article integer NOT NULL REFERENCES article
);

CREATE TABLE purse (
    id    integer PRIMARY KEY,
    cents integer NOT NULL
);

CREATE TABLE room (
    id    integer PRIMARY KEY,
    taken integer NOT NULL DEFAULT 0
);

INSERT INTO account SELECT id, 100 FROM generate_series(1, 16) AS id;
INSERT INTO article (id) VALUES (1);
INSERT INTO purse VALUES (1, 0);
INSERT INTO room (id) SELECT id FROM generate_series(1, 16) AS id;
