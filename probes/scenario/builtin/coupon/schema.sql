CREATE TABLE coupon (
    id       integer PRIMARY KEY,
    code     text    NOT NULL UNIQUE,
    max_uses integer NOT NULL
);

CREATE TABLE redemption (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    coupon_id integer NOT NULL REFERENCES coupon,
    customer  integer NOT NULL
);

INSERT INTO coupon (id, code, max_uses) VALUES (1, 'SPRING', :uses);
