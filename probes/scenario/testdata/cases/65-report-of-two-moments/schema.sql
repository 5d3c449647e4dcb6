CREATE TABLE account (id int PRIMARY KEY, cents int NOT NULL);
CREATE TABLE report (cents int NOT NULL);
INSERT INTO account VALUES (1, 100), (2, 100);
