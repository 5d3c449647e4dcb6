// Command ccheck finds concurrency bugs in applications on PostgreSQL. All it
// does is in the packages below cmd/internal/cli.
package main

import (
	"context"
	"os"

	"github.com/ccheck/ccheck/cmd/internal/cli"
	"github.com/ccheck/ccheck/cmd/internal/stdio"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args, stdio.System()))
}
