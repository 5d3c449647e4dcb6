UPDATE gates SET open = true WHERE id = $1
