CREATE TABLE seat (
    id      integer PRIMARY KEY,
    label   text    NOT NULL,
    sold_to integer
);

CREATE TABLE ticket (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seat_id  integer NOT NULL REFERENCES seat,
    customer integer NOT NULL
);

INSERT INTO seat (id, label) VALUES (:seat, 'row 7, seat 12');
