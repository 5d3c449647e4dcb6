SELECT m.n, count(*) AS clicks FROM meter m, click GROUP BY m.n HAVING m.n <> 10 + count(*)
