CREATE TABLE account (name text PRIMARY KEY, balance int NOT NULL);
INSERT INTO account VALUES ('checking', 0), ('savings', 0);
