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
