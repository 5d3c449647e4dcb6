package scenario

import (
	"embed"
	"io/fs"
	"sync"
)

//go:embed builtin
var embedded embed.FS

// Builtin returns the scenarios that come with ccheck, in the order of their
// names. They are folders like a user's own; Export writes one out.
func Builtin() []*Scenario { return builtin() }

// builtin loads each once: a scenario does not change after that.
var builtin = sync.OnceValue(func() []*Scenario {
	folders, err := fs.ReadDir(embedded, "builtin")
	if err != nil {
		panic(err) // the folder is in the binary
	}
	var all []*Scenario
	for _, f := range folders {
		s, err := load(embedded, "builtin/"+f.Name(), f.Name(), f.Name())
		if err != nil {
			panic(err) // a test loads every one of them
		}
		all = append(all, s)
	}
	return all
})
