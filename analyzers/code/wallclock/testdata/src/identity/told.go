package identity

import (
	"encoding/json"
	"time"
)

// Upload only tells its caller, who brought the object, when it was done.
type Upload struct {
	Name       string
	Generation int64
}

func (u *Upload) Done() { u.Generation = time.Now().UnixNano() }

func caller(name string) {
	u := &Upload{Name: name}
	u.Done()
}

// Draft is written down: whoever reads it goes by its version.
type Draft struct {
	Name    string
	Version int64
}

func (d *Draft) Save() ([]byte, error) {
	d.Version = time.Now().UnixNano() // want `the clock alone makes the field Version`
	return json.Marshal(d)
}

// Entry goes into a map that others look into.
type Entry struct{ Revision int64 }

var entries = map[string]*Entry{}

func enter(name string) {
	e := &Entry{}
	e.Revision = time.Now().UnixNano() // want `the clock alone makes the field Revision`
	entries[name] = e
}
