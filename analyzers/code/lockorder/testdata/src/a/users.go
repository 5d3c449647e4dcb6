package a

import "a/pool"

// A package that uses wrapped connections sees no more wrappers than theirs.
type clients struct{ p *pool.Pool }

func (c *clients) back(conn *pool.Conn) error { return conn.Close() }
