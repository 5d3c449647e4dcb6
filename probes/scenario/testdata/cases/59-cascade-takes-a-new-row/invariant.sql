SELECT p.task FROM promise p WHERE NOT EXISTS (SELECT 1 FROM task t WHERE t.id = p.task)
