// Package etcd runs throw-away etcd servers of one member for labs and tests:
// private, on loopback, and gone with the process that started them.
//
// It is no client and judges nothing; the program is the one that is installed
// (decision 0016 says why nothing is embedded).
package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	osexec "os/exec"
	"path/filepath"

	"github.com/ccheck/ccheck/probes/server/daemon"
)

// ErrNotFound says that there is no server to start, and the mend.
var ErrNotFound = errors.New("no etcd was found on this machine: install one (apt-get install etcd-server, dnf install etcd, or brew install etcd)")

// MinTTL is the shortest lease, in seconds, that the server grants: one and a
// half election time-outs, rounded up (etcd's lessor).
const MinTTL = 1

// Server is a running etcd.
type Server struct{ *daemon.Daemon }

// name is part of the names of directories.
const name = "etcd"

// Clean removes what servers left below dir ("" is os.TempDir) whose owner was
// killed together with their guard, and returns what it removed.
func Clean(ctx context.Context, dir string) ([]string, error) {
	return daemon.Clean(ctx, name, dir)
}

// Start starts a server and returns when it has elected itself and serves.
func Start(ctx context.Context) (*Server, error) {
	path, err := osexec.LookPath("etcd")
	if err != nil {
		return nil, ErrNotFound
	}
	d, err := daemon.Start(ctx, daemon.Program{Name: name, Path: path, Ports: 2, Ready: ready, Args: arguments})
	if err != nil {
		return nil, err
	}
	return &Server{d}, nil
}

// arguments keep elections short: the shortest lease and the start hang on them.
func arguments(dir string, ports []int) ([]string, error) {
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	return []string{
		"--name=ccheck", "--data-dir=" + filepath.Join(dir, "member"), "--log-level=warn",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=ccheck=" + peer,
		"--heartbeat-interval=20", "--election-timeout=200",
	}, nil
}

func ready(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var health struct {
		Health string `json:"health"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&health); err != nil {
		return err
	}
	if health.Health != "true" {
		return fmt.Errorf("health is %q", health.Health)
	}
	return nil
}

// URL is the endpoint for clients.
func (s *Server) URL() string { return "http://" + s.Address() }
