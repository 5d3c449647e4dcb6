CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customer, status text NOT NULL);
CREATE TABLE payment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, order_id int NOT NULL);
INSERT INTO customer VALUES (1);
INSERT INTO orders VALUES (9, 1, 'open');
