// Package redis runs throw-away Redis servers for labs and tests: private,
// with a random password, writing every command to disk so that a restart loses
// none, and gone with the process that started them.
//
// It is no client and judges nothing; the program is the one that is installed
// (decision 0016 says why nothing is embedded).
package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/server/daemon"
)

// ErrNotFound says that there is no server to start, and the mend.
var ErrNotFound = errors.New("no redis-server was found on this machine: install one (apt-get install redis-server, dnf install redis, or brew install redis)")

// Server is a running Redis.
type Server struct {
	*daemon.Daemon
	password string
}

// name is part of the names of directories.
const name = "redis"

// Clean removes what servers left below dir ("" is os.TempDir) whose owner was
// killed together with their guard, and returns what it removed.
func Clean(ctx context.Context, dir string) ([]string, error) {
	return daemon.Clean(ctx, name, dir)
}

// Start starts a server and returns when it serves. Volatile leaves the disk
// alone, so that a restart forgets everything, as a cache does.
func Start(ctx context.Context, volatile bool) (*Server, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	s := &Server{password: rand.Text()}
	s.Daemon, err = daemon.Start(ctx, daemon.Program{
		Name: name, Path: path, Ports: 1, Ready: s.ready,
		Args: func(dir string, ports []int) ([]string, error) { return s.configure(dir, ports[0], volatile) },
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// find leaves links as they are: the programs of Redis are one file, which asks
// by which name it was called.
func find() (string, error) {
	path, err := osexec.LookPath("redis-server")
	if err != nil {
		return "", ErrNotFound
	}
	return path, nil
}

// configure writes the configuration file. The password stands there and not
// among the arguments, which everybody can read.
func (s *Server) configure(dir string, port int, volatile bool) ([]string, error) {
	lines := []string{
		"bind 127.0.0.1", fmt.Sprintf("port %d", port), "requirepass " + s.password, "daemonize no",
		`save ""`, "dir " + dir, "tcp-keepalive 0", "databases 1",
	}
	if !volatile {
		lines = append(lines, "appendonly yes", "appendfsync no")
	}
	path := filepath.Join(dir, "redis.conf")
	return []string{path}, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// ready asks with the password, so that only our own server answers well.
func (s *Server) ready(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second)) // a connection that was just made takes one
	if _, err := fmt.Fprintf(conn, "AUTH %s\r\nPING\r\n", s.password); err != nil {
		return err
	}
	answer := make([]byte, len("+OK\r\n+PONG\r\n"))
	n := 0
	for n < len(answer) {
		k, err := conn.Read(answer[n:])
		if n += k; err != nil {
			return fmt.Errorf("answered %q: %w", answer[:n], err)
		}
	}
	if string(answer) != "+OK\r\n+PONG\r\n" {
		return fmt.Errorf("answered %q", answer)
	}
	return nil
}

// URL names the server with its password: it is for clients and must never be
// printed.
func (s *Server) URL() string {
	u := url.URL{Scheme: "redis", User: url.UserPassword("default", s.password), Host: s.Address(), Path: "/0"}
	return u.String()
}
