CREATE TABLE page (
    id    integer PRIMARY KEY,
    views bigint  NOT NULL
);

INSERT INTO page (id, views) SELECT id, 0 FROM generate_series(1, :pages) AS id;
