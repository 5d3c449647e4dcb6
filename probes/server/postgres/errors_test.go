//go:build linux || darwin

package postgres

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wantStartError starts a server that cannot start, and checks what it says
// and that it leaves nothing.
func wantStartError(t *testing.T, o Options, parts ...string) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = testDir(t)
	}
	s, err := Start(testContext(t), o)
	if err == nil {
		_ = s.Stop(testContext(t))
	}
	wantError(t, err, parts...)
	if left := glob(t, filepath.Join(o.Dir, prefix+"*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func onlyRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOT PROVEN: this situation can only be made by root")
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	wantStartError(t, Options{Settings: map[string]string{"shared_buffers": "no number"}},
		"starting the server with PostgreSQL", "its last words", `invalid value for parameter "shared_buffers": "no number"`)
}

func TestInitdbThatFails(t *testing.T) {
	bin := testDir(t)
	plant(t, bin, "15.1")
	write(t, filepath.Join(bin, "initdb"), "#!/bin/sh\necho 'initdb: error: the stars are not right' >&2\nexit 1\n")
	wantStartError(t, Options{Install: &Install{Bin: bin, Version: "15.1", Major: 15}},
		"creating a database cluster with PostgreSQL 15.1 of "+bin, "the stars are not right")
}

// TestLocaleFallback has an initdb that knows no C.UTF-8, as on older macOS.
func TestLocaleFallback(t *testing.T) {
	in, _ := recordingInstall(t)
	initdb := filepath.Join(in.Bin, "initdb")
	reject := "#!/bin/sh\ncase \"$*\" in *--locale=C.UTF-8*) echo 'initdb: error: invalid locale name \"C.UTF-8\"' >&2; exit 1;; esac\n"
	write(t, initdb, strings.Replace(read(t, initdb), "#!/bin/sh\n", reject, 1))
	s := startTest(t, Options{Install: &in})
	if got := ask(t, s.Config(), "SELECT datcollate || ' ' || pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'ccheck'"); got != "C UTF8" {
		t.Errorf("locale and encoding %q", got)
	}
}

func TestDirectoryThatIsNotThere(t *testing.T) {
	wantStartError(t, Options{Dir: filepath.Join(testDir(t), "nowhere")},
		"making a directory for a throw-away PostgreSQL", "no such file or directory", "give a directory that can be written to")
}

func TestDirectoryBehindClosedDoor(t *testing.T) {
	onlyRoot(t)
	dir := filepath.Join(testDir(t), "closed", "inner")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	wantStartError(t, Options{Dir: dir}, "cannot reach", "because of the permissions of "+filepath.Dir(dir)+":", "chmod o+x")
}

func TestDiskFull(t *testing.T) {
	onlyRoot(t)
	dir := testDir(t)
	// So small that initdb cannot even write the configuration. A server that
	// panics over a full disk leaves shared memory behind, which is its own affair.
	mount := osexec.Command("mount", "-t", "tmpfs", "-o", "size=48k,mode=1777", "tmpfs", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT PROVEN: a small disk cannot be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := osexec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	wantStartError(t, Options{Dir: dir}, "no space left in "+dir, "free some, or point TMPDIR")
}

func TestStartThatIsCancelled(t *testing.T) {
	dir := testDir(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := Start(ctx, Options{Dir: dir})
		ended <- err
	}()
	until(t, "initdb has begun", func() bool { return len(glob(t, filepath.Join(dir, prefix+"*/data/PG_VERSION"))) > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v", err)
	}
	if left := glob(t, filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestLongDirectory makes a path that no socket address can hold: the server
// is then reached by TCP alone.
func TestLongDirectory(t *testing.T) {
	dir := filepath.Join(testDir(t), strings.Repeat("long", 25))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := startTest(t, Options{Dir: dir})
	if s.Socket() != "" || ask(t, s.Config(), "SHOW unix_socket_directories") != "" {
		t.Errorf("socket in %s", s.Socket())
	}
}

// TestPortTaken launches on a port that another server holds.
func TestPortTaken(t *testing.T) {
	holder := startTest(t, Options{})
	o := Options{Dir: MemoryDir()}.withDefaults()
	s, err := newServer(holder.Install(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop(testContext(t)) }()
	password := newPassword()
	if err := s.home.initdb(testContext(t), password); err != nil {
		t.Fatal(err)
	}
	if err := s.home.configure(o.settings(s.home)); err != nil {
		t.Fatal(err)
	}
	if err := s.address(int(holder.Config().Port), password, "postgres"); err != nil {
		t.Fatal(err)
	}
	if err := s.launch(testContext(t)); !errors.Is(err, errBusy) {
		t.Errorf("launch on a port that is taken = %v", err)
	}
	if err := s.start(testContext(t), password, "postgres"); err != nil {
		t.Errorf("start after that: %v", err)
	}
}

func TestServiceThatIsNotThere(t *testing.T) {
	t.Setenv("PGSERVICE", "nowhere")
	t.Setenv("PGSERVICEFILE", filepath.Join(testDir(t), "none"))
	wantStartError(t, Options{}, "addressing the throw-away server", "service file", "unset the PG* variable")
}

func TestTail(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":   {"", ""},
		"blank":   {"\n \n\n", ""},
		"fewer":   {"one\n", "  one"},
		"exactly": {"one\ntwo", "  one\n  two"},
		"more":    {"one\n\ntwo\nthree\n\n", "  two\n  three"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tail(test.text, 2); got != test.want {
				t.Errorf("tail = %q, want %q", got, test.want)
			}
		})
	}
}
