CREATE TABLE stock (
    item    integer PRIMARY KEY,
    on_hand integer NOT NULL
);

CREATE TABLE purchase (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item     integer NOT NULL REFERENCES stock,
    quantity integer NOT NULL
);

CREATE TABLE delivery (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item     integer NOT NULL REFERENCES stock,
    quantity integer NOT NULL
);

INSERT INTO stock (item, on_hand) SELECT item, :start FROM generate_series(1, :items) AS item;
