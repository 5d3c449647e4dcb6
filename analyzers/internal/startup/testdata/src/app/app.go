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
		RunE: func(*cobra.Command, []string) error { start(); return nil },
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
