//go:build unix

package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/lease"
	"github.com/ccheck/ccheck/probes/lease/process"
)

const workerVar = "CCHECK_TEST_WORKER"

// TestMain lets this binary be the worker: it echoes what it is asked.
func TestMain(m *testing.M) {
	switch os.Getenv(workerVar) {
	case "":
		os.Exit(m.Run())
	case "dies":
		fmt.Fprintln(os.Stderr, "no database")
		os.Exit(1)
	case "deaf":
		time.Sleep(time.Hour)
	}
	worker()
}

// worker grants everything but what is called taken, and counts tokens.
func worker() {
	s, token := bufio.NewScanner(os.Stdin), 0
	for s.Scan() {
		words := strings.Fields(s.Text())
		switch {
		case words[1] == "taken":
			fmt.Println(map[string]string{"acquire": "held", "renew": "lost", "release": "lost", "write": "fenced"}[words[0]])
		case words[1] == "broken":
			fmt.Println("error no disk left")
		case words[1] == "silly":
			fmt.Println("perhaps")
		case words[0] == "acquire":
			token++
			fmt.Println("ok", token)
		case words[0] == "read":
			fmt.Println("ok", words[1], os.Getenv("CCHECK_OWNER"))
		default:
			fmt.Println("ok")
		}
	}
}

func open(t *testing.T, mode string) lease.Client {
	t.Helper()
	b, err := process.Backend(append(os.Environ(), workerVar+"="+mode), []string{os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Open(context.Background(), lease.Owner{Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestCalls(t *testing.T) {
	ctx := context.Background()
	c := open(t, "worker")
	for want := 1; want <= 2; want++ {
		g, err := c.Acquire(ctx, "job", time.Second)
		if err != nil || g.Token != strconv.Itoa(want) {
			t.Fatalf("token %q, %v; want %d", g.Token, err, want)
		}
	}
	g := lease.Grant{Name: "job", Owner: "A", Token: "2", TTL: time.Second}
	if err := errors.Join(c.Renew(ctx, g), c.Write(ctx, "ledger", "A1", g), c.Release(ctx, g)); err != nil {
		t.Error(err)
	}
	if value, err := c.Read(ctx, "ledger"); value != "ledger A" || err != nil {
		t.Errorf("read %q, %v", value, err)
	}
	g.Name = "taken"
	if _, err := c.Acquire(ctx, "taken", time.Second); !errors.Is(err, lease.ErrHeld) {
		t.Errorf("held: %v", err)
	}
	if err := c.Renew(ctx, g); !errors.Is(err, lease.ErrLost) {
		t.Errorf("lost: %v", err)
	}
	if err := c.Write(ctx, "taken", "A2", g); !errors.Is(err, lease.ErrFenced) {
		t.Errorf("fenced: %v", err)
	}
}

func TestBadAnswers(t *testing.T) {
	ctx := context.Background()
	c := open(t, "worker")
	for name, want := range map[string]string{"broken": "no disk left", "silly": `"perhaps" is none`, "two words": "cannot be a word"} {
		if _, err := c.Acquire(ctx, name, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestDeadWorker(t *testing.T) {
	_, err := open(t, "dies").Acquire(context.Background(), "job", time.Second)
	if err == nil || !strings.Contains(err.Error(), "the process of owner A has ended") {
		t.Errorf("%v", err)
	}
}

// One that reads and never answers is not waited for without end.
func TestSilentWorker(t *testing.T) {
	c := open(t, "deaf")
	c.(*process.Client).Silence(50 * time.Millisecond)
	_, err := c.Acquire(context.Background(), "job", time.Millisecond)
	var setup *lease.SetupError
	if !errors.As(err, &setup) || !strings.Contains(setup.Msg, "owner A gave no answer to acquire") || !strings.Contains(setup.Hint, "flushes") {
		t.Errorf("%v", err)
	}
}

// A paused worker answers nothing until it goes on, and then what it was asked.
func TestPause(t *testing.T) {
	ctx := context.Background()
	c := open(t, "worker")
	p := c.(lease.Pauser)
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := c.Acquire(ctx, "job", time.Second)
		answered <- err
	}()
	if state := state(t, c); state != "T" {
		t.Errorf("the process is in the state %q, want T", state)
	}
	select {
	case err := <-answered:
		t.Fatalf("a paused worker answered: %v", err)
	default:
	}
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// state is how the kernel sees the process; "T" where there is no /proc to ask.
func state(t *testing.T, c lease.Client) string {
	pid := c.(interface{ PID() int }).PID()
	for range 200 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return "T"
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if fields[0] == "T" {
			return "T"
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "running"
}

// One that ignores the end of its input is killed.
func TestDeafWorker(t *testing.T) {
	c := open(t, "deaf")
	pid := c.(interface{ PID() int }).PID()
	c.Close()
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
		t.Errorf("process %d is left", pid)
	}
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		command []string
		want    string
	}{
		{nil, "no command was named"},
		{[]string{"no-such-worker"}, `"no-such-worker" cannot be run: executable file not found`},
	} {
		if _, err := process.Backend(nil, tt.command); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.command, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ok 17", "held", "error x", "", "ok", " ok\t1 ", "OK"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		value, err := process.Parse(line, lease.ErrHeld)
		if err != nil && value != "" {
			t.Errorf("%q: both %q and %v", line, value, err)
		}
	})
}
