package main

import "github.com/spf13/cobra"

func main() {
	if serve().Execute() != nil {
		panic("serve")
	}
}

func serve() *cobra.Command {
	return &cobra.Command{
		Use:  "serve",
		RunE: func(*cobra.Command, []string) error { start(); named(); return nil },
		Help: func() { explain() },
	}
}

func start() {
	go func() {
		for {
		}
	}()
}

func explain() {}

type cluster struct{ node string }

func (c *cluster) Watch()       { c.node = "b" }
func (c *cluster) Name() string { return c.node }
func (c *cluster) Used() string { return c.node }

func named() interface{ Name() string } {
	c := &cluster{"a"}
	go c.Watch()
	c.Name()
	return c
}
