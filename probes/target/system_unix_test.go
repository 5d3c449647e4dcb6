//go:build unix

package target_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

func TestConnectToPgBouncer(t *testing.T) {
	bouncer, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("SKIPPED: no pgbouncer on PATH; that a pooler is refused was not tested")
	}
	cfg := pgtest.Config(t)
	for _, lenient := range []string{"", "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,search_path,extra_float_digits"} {
		port := freePort(t)
		ini := write(t, fmt.Sprintf("[databases]\n%[1]s = host=%[2]s port=%[3]d dbname=%[1]s user=%[4]s password=%[5]s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %[6]d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n%[7]s\n",
			cfg.Database, cfg.Host, cfg.Port, cfg.User, cfg.Password, port, lenient), 0o644)
		cmd := exec.Command(bouncer, ini)
		asOrdinaryUser(t, cmd, ini)
		start(t, cmd, port)
		e := fails(t, fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s?sslmode=disable", cfg.User, url.QueryEscape(canary), port, cfg.Database), target.Pooler, "connection pooler")
		if e.Exit != 5 {
			t.Errorf("exit %d, want 5", e.Exit)
		}
	}
}

// asOrdinaryUser lets a server run that refuses root.
func asOrdinaryUser(t *testing.T, cmd *exec.Cmd, file string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	for dir := filepath.Dir(file); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTLSOnly has a server that lets nobody in without TLS and shows a
// certificate that nobody knows.
func TestTLSOnly(t *testing.T) {
	s, err := postgres.Start(t.Context(), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	data := filepath.Join(s.Dir(), "data")
	cert, key := certificate(t)
	give(t, data, "server.crt", cert)
	give(t, data, "server.key", key)
	give(t, data, "pg_hba.conf", []byte("hostssl all all all scram-sha-256\n"))
	admin := plain(t, s.DSN())
	query(t, admin, "alter system set ssl = on")
	query(t, admin, "select pg_reload_conf()")
	with := func(options string) string {
		return change(t, s.DSN(), func(u *url.URL) { u.RawQuery = options })
	}
	await(t, func() bool {
		conn, err := pgconn.Connect(t.Context(), with("sslmode=require"))
		if err == nil {
			conn.Close(t.Context())
		}
		return err == nil
	})
	e := fails(t, with("sslmode=disable"), target.NoEntry, "does not let user")
	if want := "sslmode=require"; !strings.Contains(e.Hint, want) {
		t.Errorf("hint %q, want %q", e.Hint, want)
	}
	fails(t, with("sslmode=verify-full"), target.TLS, "")
	fails(t, with("sslmode=verify-ca"), target.TLS, "an authority that is not trusted")
	connect(t, parse(t, with("sslmode=require")), run())
	connect(t, parse(t, with("sslmode=prefer")), run())
}

func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "elsewhere.test"}, DNSNames: []string{"elsewhere.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// give writes a file into the data directory as its owner.
func give(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
}
