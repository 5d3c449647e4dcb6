//go:build linux || darwin

package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/internal/system"
)

func TestPauseHoldsAnswersBack(t *testing.T) {
	s := startTest(t, Options{})
	conn, err := pgconn.ConnectConfig(testContext(t), s.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer closeQuietly(conn)
	if err := s.Pause(testContext(t)); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "SELECT 1").ReadAll()
		answered <- err
	}()
	for _, pid := range s.frozen.pids {
		until(t, "stopped: "+system.Arguments(pid), func() bool { return processState(t, pid) == "T" })
	}
	select {
	case err := <-answered:
		t.Errorf("a paused server answered: %v", err)
	default:
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the query that waited: %v", err)
	}
	if err := s.Resume(); err != nil {
		t.Errorf("a second Resume: %v", err)
	}
}

func TestStopWhilePaused(t *testing.T) {
	s := startTest(t, Options{})
	if err := s.Pause(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if !gone(s.Dir()) {
		t.Errorf("%s is left", s.Dir())
	}
}

func TestRestartKeepsWhatIsCommitted(t *testing.T) {
	for name, before := range map[string]func(*Server) error{
		"in good order": func(*Server) error { return nil },
		"after a kill":  func(s *Server) error { return s.Kill(context.Background()) },
		"while paused":  func(s *Server) error { return s.Pause(context.Background()) },
		"killed while paused": func(s *Server) error {
			return errors.Join(s.Pause(context.Background()), s.Kill(context.Background()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startTest(t, Options{Settings: map[string]string{"synchronous_commit": "on"}})
			run(t, s, "CREATE TABLE account (balance int)", "INSERT INTO account VALUES (10)")
			address, pid := s.Address(), s.PID()
			if err := before(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Restart(testContext(t)); err != nil {
				t.Fatal(err)
			}
			if s.Address() != address || s.PID() == pid {
				t.Errorf("at %s with process %d, before at %s with %d", s.Address(), s.PID(), address, pid)
			}
			if got := ask(t, s.Config(), "SELECT balance FROM account"); got != "10" {
				t.Errorf("balance %s", got)
			}
		})
	}
}

func TestKilledAndStopped(t *testing.T) {
	s := startTest(t, Options{})
	if err := s.Kill(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if s.PID() != 0 {
		t.Errorf("PID() = %d after Kill", s.PID())
	}
	file, ok := s.home.pidFile()
	if !ok || file.segment == 0 {
		t.Fatal("a killed postmaster left no shared memory, the test proves nothing")
	}
	if err := s.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.home.account.removeSegment(file.segment, file.pid); err == nil {
		t.Error("the shared memory was still there")
	}
	if !gone(s.Dir()) {
		t.Errorf("%s is left", s.Dir())
	}
}

func TestFaultsOfAStoppedServer(t *testing.T) {
	s := startTest(t, Options{})
	if err := s.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Restart(testContext(t)), "it has been stopped")
	wantError(t, s.Pause(testContext(t)), "it does not run")
	_, err := s.AddReplica(testContext(t), ReplicaOptions{})
	wantError(t, err, "the primary does not run")
	if err := s.Kill(testContext(t)); err != nil {
		t.Error(err)
	}
}
