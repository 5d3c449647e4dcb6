SELECT t.cents AS total, (SELECT sum(cents) FROM entry) AS entries
FROM total t WHERE t.cents <> (SELECT coalesce(sum(cents), 0) FROM entry);
