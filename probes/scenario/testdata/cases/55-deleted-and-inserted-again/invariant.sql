SELECT customer, count(*) FROM preference GROUP BY customer HAVING count(*) > 1
