SELECT room, day, count(*) FROM booking GROUP BY room, day HAVING count(*) > 1
