-- One more job.
INSERT INTO job DEFAULT VALUES RETURNING id AS job \gset
