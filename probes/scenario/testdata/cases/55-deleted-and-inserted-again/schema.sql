CREATE TABLE preference (customer int NOT NULL, colour text NOT NULL);
INSERT INTO preference VALUES (5, 'red');
