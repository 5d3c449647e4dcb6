package main

import (
	"github.com/ccheck/ccheck/cmd/internal/cli"
	"github.com/ccheck/ccheck/cmd/internal/config"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

// configuration makes the JSON Schema of .ccheck.yaml, from the flags.
func (p pages) configuration() (err error) {
	s, _ := stdio.Test()
	root := cli.Root(s)
	global := &flags.Global{}
	global.Register(root.PersistentFlags())
	p["formats/config.schema.json"], err = config.Schema(root)
	return err
}
