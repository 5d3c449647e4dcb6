// Package cobra has the part of the library's interface that the tests use.
package cobra

type Command struct {
	Use  string
	RunE func(cmd *Command, args []string) error
	Help func()
}

func (c *Command) Execute() error { return c.RunE(c, nil) }
