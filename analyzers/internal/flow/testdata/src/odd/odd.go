// Package odd has code whose summaries could grow without end.
package odd

import (
	"context"
	"database/sql"
	"sync"
)

type node struct {
	next, prev *node
	kids       []*node
	name       string
}

// list: a path of a path of a path.
func list(n *node) *node {
	for n.next != nil {
		n.next.prev = n
		n = n.next.next.prev
	}
	return n
}

// double: an expression that contains itself twice in every line.
func double(s string, n int) string {
	for range n {
		s = s + s
		if n%2 == 0 {
			s = s + "a" + s
		}
		s = s + s
	}
	return double(s+s, n-1)
}

type visitor interface {
	visit(n *node, then func(visitor) visitor) visitor
}

type walk struct{ db *sql.DB }

// visit: function values that are handed down and wrapped on every level.
func (w *walk) visit(n *node, then func(visitor) visitor) visitor {
	var v visitor = w
	for _, k := range n.kids {
		v = v.visit(k, func(x visitor) visitor { return then(x.visit(k, then)) })
	}
	w.db.Exec("INSERT INTO seen (name) VALUES ($1)", n.name)
	return then(v)
}

func ping(n int, f func(func(int))) { f(func(i int) { pong(i, f) }) }
func pong(n int, f func(func(int))) { f(func(i int) { ping(i, f) }) }

// stack: generics, recursion through a closure, defer in a loop.
type stack[T any] struct {
	mu   sync.Mutex
	vals map[string][]T
}

func (s *stack[T]) push(k string, vs ...T) {
	var again func(int)
	again = func(i int) {
		if i == len(vs) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.vals[k] = append(s.vals[k], vs[i])
		again(i + 1)
	}
	again(0)
}

func all(ctx context.Context, db *sql.DB, names []string) (err error) {
	s := &stack[string]{vals: map[string][]string{}}
	for _, n := range names {
		defer s.push(n, names...)
		go ping(len(n), func(f func(int)) { f(1) })
	retry:
		if _, err = db.ExecContext(ctx, "UPDATE a SET n = n + 1 WHERE name = $1", double(n, 3)); err != nil {
			goto retry
		}
	}
	(&walk{db}).visit(&node{}, func(v visitor) visitor { return v })
	return
}
