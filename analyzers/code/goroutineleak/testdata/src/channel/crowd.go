package channel

import (
	"errors"
	"log"
	"net/http"
	"time"
)

// More goroutines send than values are received.

func within(d time.Duration, fn func()) bool {
	done := make(chan bool)
	go func() {
		time.Sleep(d)
		done <- false // want `this send can wait for ever`
	}()
	go func() {
		fn()
		done <- true // want `this send can wait for ever`
	}()
	return <-done
}

func either(d time.Duration, fn func() error) error {
	failed := make(chan error)
	time.AfterFunc(d, func() { failed <- errors.New("late") }) // want `this send can wait for ever`
	go func() { failed <- fn() }()                             // want `this send can wait for ever`
	return <-failed
}

// Near misses: as many receives, branches of one goroutine, servers that end with the
// program, the end of the process itself.

func both(f, g func() error) (error, error) {
	failed := make(chan error)
	go func() { failed <- f() }()
	go func() { failed <- g() }()
	return <-failed, <-failed
}

func branches(f func() (int, error)) error {
	failed := make(chan error, 1)
	go func() {
		n, err := f()
		if err != nil {
			failed <- err
			return
		}
		if n == 0 {
			failed <- errors.New("none")
			return
		}
		failed <- nil
	}()
	return <-failed
}

func listen() error {
	failed := make(chan error)
	go func() { failed <- http.ListenAndServe(":8080", nil) }()
	go func() { failed <- http.ListenAndServe(":8081", nil) }()
	return <-failed
}

func until(f, g func() error) {
	failed := make(chan error)
	go func() { failed <- f() }()
	go func() { failed <- g() }()
	log.Fatal(<-failed)
}
