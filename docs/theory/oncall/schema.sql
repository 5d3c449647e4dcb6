CREATE TABLE oncall (doctor text PRIMARY KEY, duty boolean NOT NULL);
INSERT INTO oncall VALUES ('ann', true), ('bob', true);
