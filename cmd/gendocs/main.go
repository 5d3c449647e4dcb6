// Command gendocs writes the generated part of docs: a page for every analyzer,
// checker, probe, format and command, the keys of the terminal interface, and
// the JSON Schema of the output. The words come from the things themselves; it
// has none of its own. Its test fails when a page is stale.
//
// With -new it begins a contribution instead: `gendocs -new analyzer NAME`.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("docs", "docs", "the folder to write")
	begun := flag.String("new", "", "begin an analyzer, a checker, a probe or a screen of the NAME that follows, and write no pages")
	flag.Parse()
	if err := run(*dir, *begun, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

func run(dir, kind, name string) error {
	if kind == "" {
		return write(dir)
	}
	next, err := draft(".", kind, name)
	fmt.Print(next)
	return err
}

func write(dir string) error {
	pages, err := all(dir)
	if err != nil {
		return err
	}
	return pages.write(dir)
}
