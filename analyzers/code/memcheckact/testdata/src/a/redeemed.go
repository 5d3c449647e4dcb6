package a

import (
	"errors"
	"reflect"
	"sync"
)

// A grant that can be handed in once, and what is made of it.

type grant struct{ user string }

type grants struct {
	mu    sync.Mutex
	m     map[string]*grant
	issue func(user string) string
	close func(user string)
}

func (g *grants) find(code string) (*grant, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one, ok := g.m[code]
	return one, ok
}

func (g *grants) drop(code string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.m, code)
}

func (g *grants) Exchange(code string) (string, error) {
	one, ok := g.find(code)
	if !ok {
		return "", errors.New("no such grant")
	}
	g.drop(code) // want `taken twice: grants.m is looked up, deleted and used`
	return g.issue(one.user), nil
}

// To close what was found can be done twice.
func (g *grants) End(code string) error {
	one, ok := g.find(code)
	if !ok {
		return errors.New("no such grant")
	}
	g.drop(code)
	g.close(one.user)
	return nil
}

// The names of the fields of a type are the same each time.

var fieldNames sync.Map

func FieldNames(t reflect.Type) []string {
	if v, ok := fieldNames.Load(t); ok {
		return v.([]string)
	}
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Name)
	}
	fieldNames.Store(t, names)
	return names
}
