SELECT order_id, count(*) FROM payment GROUP BY order_id HAVING count(*) > 1
