SELECT open FROM gates
WHERE id = $1
