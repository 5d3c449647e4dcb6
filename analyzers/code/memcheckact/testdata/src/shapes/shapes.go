// Package shapes has entries that are made when there are none: an edit is right for
// those that are handed out as they are.
package shapes

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"regexp"
	. "sync"
	tt "text/template"
)

var m Map

var seen Map

// First tells whether nobody came before.
func First(id string) bool {
	if _, ok := seen.Load(id); ok {
		return false
	}
	seen.Store(id, true) // want "check then act"
	return true
}

// Name answers the name.
func Name(id, name string) (string, bool) {
	if v, ok := seen.Load(id); ok {
		return v.(string), true
	}
	seen.Store(id, name) // want "check then act"
	return name, false
}

var all Map

// Add refuses a second one.
func Add(id string) *T {
	if _, ok := all.Load(id); ok {
		return nil
	}
	t := &T{}
	all.Store(id, t) // want "check then act"
	return t
}

var errTwice = errors.New("twice")

// Check may have nothing to store.
func Check(id string, e error) error {
	if _, ok := all.Load(id); ok {
		return errTwice
	}
	all.Store(id, e) // want "check then act"
	return e
}

func Re(s string) *regexp.Regexp {
	if v, ok := m.Load(s); ok {
		return v.(*regexp.Regexp)
	}
	re := regexp.MustCompile(s)
	m.Store(s, re)
	return re
}

func DB(s string) *sql.DB {
	if v, ok := m.Load(s); ok {
		return v.(*sql.DB)
	}
	db, _ := sql.Open("x", s)
	m.Store(s, db) // want "check then act"
	return db
}

func Tpl(s string) *tt.Template {
	if v, ok := m.Load(s); ok {
		return v.(*tt.Template)
	}
	t := tt.New(s)
	m.Store(s, t) // want "check then act"
	return t
}

func Reader(s string) io.Reader {
	if v, ok := m.Load(s); ok {
		return v.(io.Reader)
	}
	var r io.Reader = bytes.NewBufferString(s)
	m.Store(s, r)
	return r
}

func Any(s string, x any) any {
	if v, ok := m.Load(s); ok {
		return v
	}
	m.Store(s, x) // want "check then act"
	return x
}

func Iface(s string) io.Reader {
	if v, ok := m.Load(s); ok {
		return v.(io.Reader)
	}
	b := bytes.NewBufferString(s)
	m.Store(s, b)
	return b
}

func Gen[T any](s string, mk func() T) T {
	if v, ok := m.Load(s); ok {
		return v.(T)
	}
	t := mk()
	// keep it
	m.Store(s, t) // there
	return t
}

func Named(s string) (re *regexp.Regexp) {
	if v, ok := m.Load(s); ok {
		re = v.(*regexp.Regexp)
		return
	}
	re = regexp.MustCompile(s)
	m.Store(s, re)
	return
}

func Named2(s string) (re *regexp.Regexp) {
	actual := regexp.MustCompile(s)
	if v, ok := m.Load(s); ok {
		return v.(*regexp.Regexp)
	}
	m.Store(s, actual)
	return actual
}

func Shadow(s string) *regexp.Regexp {
	actual := s + "x"
	if v, ok := m.Load(actual); ok {
		return v.(*regexp.Regexp)
	}
	re := regexp.MustCompile(s)
	m.Store(
		actual, // key
		re,
	)
	return re
}

func Item(s string) *T {
	v, ok := m.Load(s)
	if ok {
		return v.(*T)
	}
	T := &T{n: 3}
	m.Store(s, T) // want "check then act"
	return T
}

func Within(s string) *T {
	v, ok := m.Load(s)
	if !ok {
		t := &T{n: 3}
		m.Store( // want "check then act"
			s, // by name
			t,
		)
		return t
	}
	return v.(*T)
}

func Copy(s string) string {
	v, ok := m.Load(s)
	if !ok {
		v := s + "!"
		m.Store(s, v)
		return v
	}
	return v.(string)
}

func Method(s string) *regexp.Regexp {
	store := m.Store
	if v, ok := m.Load(s); ok {
		return v.(*regexp.Regexp)
	}
	re := regexp.MustCompile(s)
	store(s, re)
	return re
}

type box struct{ Map }

func (b *box) Emb(s string) *regexp.Regexp {
	if v, ok := b.Load(s); ok {
		return v.(*regexp.Regexp)
	}
	re := regexp.MustCompile(s)
	b.Store(s, re)
	return re
}

func Value(s string) sql.NullString {
	if v, ok := m.Load(s); ok {
		return v.(sql.NullString)
	}
	n := sql.NullString{String: s}
	m.Store(s, n) // want "check then act"
	return n
}

func Expired(s string) *T {
	if v, ok := m.Load(s); ok && v.(*T).n > 3 {
		return v.(*T)
	}
	t := &T{n: 4}
	m.Store(s, t) // want "check then act"
	return t
}

// T is an entry.
type T struct{ n int }
