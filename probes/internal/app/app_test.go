package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/internal/app"
)

// TestMain plays the application, and ccheck itself when it is to be killed.
func TestMain(m *testing.M) {
	switch os.Getenv("APP_TEST_AS") {
	case "service":
		serve()
	case "owner":
		own()
	default:
		os.Exit(m.Run())
	}
}

func serve() {
	fmt.Println("listening on", os.Getenv("PORT"))
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, os.Getenv("PGUSER")+" "+os.Getenv("EXTRA"))
	})
	err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func own() {
	a, err := app.Start(context.Background(), options(atoi(os.Getenv("OWN_PORT")), "APP_TEST_AS=service"))
	fmt.Println(a != nil, err)
	select {}
}

func options(port int, env ...string) app.Options {
	// The service is a grandchild, as that of npm start is.
	return app.Options{
		Command: `sh -c '"` + os.Args[0] + `" & wait'`, Port: port, Env: env,
		Database: "postgres://ada:secret@127.0.0.1:6543/shop?sslmode=disable",
	}
}

func TestStart(t *testing.T) {
	port := freePort(t)
	o := options(port, "APP_TEST_AS=service", "EXTRA=x")
	o.Ready = fmt.Sprintf("http://127.0.0.1:%d/healthz", port)
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, port); got != "ada x" {
		t.Errorf("the application was given %q", got)
	}
	if _, err := app.Start(t.Context(), o); !errors.As(err, new(*app.PortError)) {
		t.Errorf("a second one on the same port: %v", err)
	}
	if a, err = a.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Stop()
	a.Stop()
	gone(t, port)
	if a.Ended() == "" || !strings.Contains(a.Tail(), "listening on") {
		t.Errorf("it ended as %q, and wrote %q", a.Ended(), a.Tail())
	}
}

func TestNotReady(t *testing.T) {
	_, err := app.Start(t.Context(), app.Options{Command: "echo no such table >&2; exit 3", Port: freePort(t)})
	var e *app.NotReadyError
	if !errors.As(err, &e) || e.Tail != "no such table" || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("an application that ends: %v", err)
	}
	_, err = app.Start(t.Context(), app.Options{Command: "sleep 60", Port: freePort(t), Limit: 50 * time.Millisecond})
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "did not answer at localhost:") {
		t.Errorf("an application that does not listen: %v", err)
	}
}

// TestKilled kills the process that has started an application, and finds the
// application gone.
func TestKilled(t *testing.T) {
	port := freePort(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), "APP_TEST_AS=owner", "OWN_PORT="+strconv.Itoa(port))
	log, err := os.Create(filepath.Join(t.TempDir(), "owner"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	owner.Stdout, owner.Stderr = log, log
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	for !listening(port) {
		if t.Context().Err() != nil {
			t.Fatal("the application did not start")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	gone(t, port)
}

// gone waits until nothing listens any more.
func gone(t *testing.T, port int) {
	t.Helper()
	for listening(port) {
		if t.Context().Err() != nil {
			t.Fatal("the application lives on")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func listening(port int) bool {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err == nil {
		conn.Close()
	}
	return err == nil
}

func get(t *testing.T, port int) string {
	t.Helper()
	res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/", port))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
