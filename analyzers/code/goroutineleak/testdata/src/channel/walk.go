package channel

import (
	"io/fs"
	"path/filepath"
	"strings"
)

func walked(root string) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
			out <- p // want `this send can wait for ever`
			return err
		})
	}()
	return out
}

func firstWith(root, suffix string) string {
	for p := range walked(root) {
		if strings.HasSuffix(p, suffix) {
			return p
		}
	}
	return ""
}

func first(a, b, c func() error) error {
	errc := make(chan error, 1)
	go func() { errc <- a() }() // want `this send can wait for ever`
	go func() { errc <- b() }() // want `this send can wait for ever`
	go func() { errc <- c() }() // want `this send can wait for ever`
	return <-errc
}

func firstOfTwo(a, b func() error) error {
	errc := make(chan error, 1)
	go func() { errc <- a() }()
	go func() { errc <- b() }()
	return <-errc
}
