SELECT sku, qty FROM stock WHERE qty < 0
