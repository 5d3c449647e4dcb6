// Command gendocs writes the generated part of docs: a page for every analyzer,
// checker, probe, format and command, the keys of the terminal interface, and
// the JSON Schema of the output. The words come from the things themselves; it
// has none of its own. Its test fails when a page is stale.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("docs", "docs", "the folder to write")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	pages, err := all(dir)
	if err != nil {
		return err
	}
	return pages.write(dir)
}
