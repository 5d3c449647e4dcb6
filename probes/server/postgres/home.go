package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/internal/guard"
	"github.com/ccheck/ccheck/probes/server/internal/system"
)

const (
	prefix    = "ccheck-pg-" // of every server's directory
	ownerName = "owner"
)

// home is the directory of one server and everything in it:
//
//	owner   who started it, locked while that process lives
//	log     what the server and initdb said
//	data/   the cluster
//	s/      the Unix-domain socket
//
// It belongs to the account with mode 0700, so nobody else reaches the socket
// or reads the cluster.
type home struct {
	dir     string
	socket  string // "" where the path is too long for a socket
	install Install
	account account
	owner   *os.File // holds the lock
	log     *os.File
	guard   *guard.Guard
}

// owner is the content of the owner file, for people: the lock decides.
type owner struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Version string    `json:"postgresql"`
}

// newHome makes the directory below parent and sets a guard over it.
func newHome(install Install, parent string) (home, error) {
	account, err := findAccount()
	if err != nil {
		return home{}, err
	}
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return home{}, fmt.Errorf("making a directory for a throw-away PostgreSQL: %w; give a directory that can be written to, for example with TMPDIR", err)
	}
	h := home{dir: dir, install: install, account: account}
	if err := h.furnish(); err != nil {
		return home{}, errors.Join(err, h.remove())
	}
	return h, nil
}

// furnish fills the directory, gives it away at the very end (from then on the
// account could put links into it), and starts the guard.
func (h *home) furnish() (err error) {
	if h.owner, err = h.claim(); err != nil {
		return fmt.Errorf("claiming %s: %w", h.dir, err)
	}
	if h.log, err = os.OpenFile(h.path("log"), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return fmt.Errorf("creating the server's log: %w", err)
	}
	for _, name := range []string{"data", "s", "."} {
		if err := h.give(name); err != nil {
			return fmt.Errorf("handing %s to user %s: %w", h.path(name), h.account.Name, err)
		}
	}
	if socket := h.path("s"); len(socket)+len("/.s.PGSQL.65535") <= socketLimit() {
		h.socket = socket
	}
	h.guard, err = newGuard(h.dir)
	return err
}

// claim writes the owner file. It gets its name after it is locked: a file of
// that name without a lock is always an orphan's.
func (h *home) claim() (*os.File, error) {
	temporary := h.path(ownerName + ".new")
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(owner{PID: os.Getpid(), Started: time.Now().UTC(), Version: h.install.Version})
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	err = errors.Join(err, system.Lock(f), os.Rename(temporary, h.path(ownerName)))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (h *home) give(name string) error {
	if err := os.Mkdir(h.path(name), 0o700); err != nil && name != "." {
		return err
	}
	return h.account.Give(h.path(name))
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) data() string { return h.path("data") }

func (h *home) program(name string) string { return filepath.Join(h.install.Bin, name) }

// newPassword returns about 130 random bits.
func newPassword() string { return rand.Text() }

// locales for initdb: UTF-8 with the fast byte order where the system knows
// it, else the one that every system has.
var locales = []string{"C.UTF-8", "C"}

// initdb creates the cluster.
func (h *home) initdb(ctx context.Context, password string) error {
	var said string
	for _, locale := range locales {
		out, err := h.initdbOnce(ctx, password, locale)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		said = out
		if !strings.Contains(out, "invalid locale") {
			return h.explain("creating a database cluster", err, said)
		}
	}
	return h.explain("creating a database cluster", errors.New("initdb knows no usable locale"), said)
}

// initdbOnce returns what initdb said. The password goes through a file that
// only the account reads and that is gone when initdb is.
func (h *home) initdbOnce(ctx context.Context, password, locale string) (string, error) {
	secret, err := h.secret("pw", password+"\n")
	if err != nil {
		return "", err
	}
	defer os.Remove(secret)
	cmd := h.account.command(ctx, h.dir, h.program("initdb"), "-D", h.data(), "-U", User, "-A", "scram-sha-256",
		"--pwfile="+secret, "-E", "UTF8", "--locale="+locale, "--no-sync", "--no-instructions")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = h.run(cmd)
	_, logErr := h.log.Write(out.Bytes())
	return out.String(), errors.Join(err, logErr)
}

// secret writes a file that only the account can read. The name is new, so
// that no link of the account's making is followed.
func (h *home) secret(name, text string) (string, error) {
	f, err := os.CreateTemp(h.dir, name+"-") // mode 0600
	if err != nil {
		return "", fmt.Errorf("writing a password file: %w", err)
	}
	_, err = io.WriteString(f, text)
	if err = errors.Join(err, f.Close(), h.account.Give(f.Name())); err != nil {
		return "", errors.Join(fmt.Errorf("writing a password file: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// close ends the guard, which removes what is left, and lets the lock go.
func (h *home) close() error {
	err := h.guard.Close()
	for _, f := range []*os.File{h.log, h.owner} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// remove removes the directory and closes what is open. The children of a
// postmaster that was killed may still be writing; then the guard, which tries
// for longer, does the work.
func (h *home) remove() error {
	_ = h.empty()
	return errors.Join(h.close(), h.empty())
}

// empty removes the directory, the owner file last: without it, Clean would
// not know the rest for an orphan.
func (h *home) empty() error {
	return errors.Join(os.RemoveAll(h.data()), os.RemoveAll(h.dir))
}
