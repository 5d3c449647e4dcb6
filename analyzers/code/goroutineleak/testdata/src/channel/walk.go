package channel

import (
	"context"
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

// The loop of a select that its second case ends.
func relayed(ctx context.Context, in <-chan string, write func(string)) {
	out := make(chan string)
	go func() {
		for s := range in {
			out <- s // want `this send can wait for ever`
		}
	}()
	for {
		select {
		case s := <-out:
			write(s)
		case <-ctx.Done():
			return
		}
	}
}

func relayedBoth(ctx context.Context, in <-chan string, write func(string)) {
	out := make(chan string)
	go func() {
		defer close(out)
		for s := range in {
			select {
			case out <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case s := <-out:
			write(s)
		case <-ctx.Done():
			return
		}
	}
}

var _, _ = relayed, relayedBoth
