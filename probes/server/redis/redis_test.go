//go:build linux || darwin

package redis_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/server/redis"
)

func start(t *testing.T, volatile bool) *redis.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := redis.Start(ctx, volatile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.Dir()); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", s.Dir(), err)
		}
	})
	return s
}

// ask sends inline commands and returns the last answer's line.
func ask(t *testing.T, s *redis.Server, login bool, commands ...string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if login {
		u, err := url.Parse(s.URL())
		if err != nil {
			t.Fatal("the URL is none")
		}
		password, _ := u.User.Password()
		commands = append([]string{"AUTH " + password}, commands...)
	}
	r, line := bufio.NewReader(conn), ""
	for _, c := range commands {
		fmt.Fprintf(conn, "%s\r\n", c)
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSpace(line)
}

func TestPrivateAndUnprivileged(t *testing.T) {
	s := start(t, false)
	if got := ask(t, s, false, "PING"); !strings.HasPrefix(got, "-NOAUTH") {
		t.Errorf("without a password: %q", got)
	}
	info, err := os.Stat(fmt.Sprintf("/proc/%d", s.PID()))
	if err != nil {
		t.Skipf("SKIPPED, NOT PROVEN: no /proc here: %v", err)
	}
	if info.Sys().(*syscall.Stat_t).Uid == 0 {
		t.Errorf("process %d runs as root", s.PID())
	}
}

// A restart forgets nothing unless that is asked for.
func TestRestart(t *testing.T) {
	for _, volatile := range []bool{false, true} {
		s := start(t, volatile)
		ask(t, s, true, "INCR fence", "INCR fence")
		if err := s.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{false: ":3", true: ":1"}[volatile]
		if got := ask(t, s, true, "INCR fence"); got != want {
			t.Errorf("volatile %v: after the restart %s, want %s", volatile, got, want)
		}
	}
}

func TestPauseAndKill(t *testing.T) {
	s := start(t, false)
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.PID() != 0 || s.Pause() == nil {
		t.Error("a killed server can be paused")
	}
}
