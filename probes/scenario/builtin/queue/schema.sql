CREATE TABLE job (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state   text NOT NULL DEFAULT 'ready',
    worker  integer,
    attempt integer NOT NULL DEFAULT 0,
    visible timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE TABLE relay (
    name    text PRIMARY KEY,
    last_id bigint NOT NULL
);

-- Stands for the service that the jobs call, where none is counted outside.
CREATE TABLE effect (
    job bigint NOT NULL
);

INSERT INTO relay VALUES ('main', 0);
