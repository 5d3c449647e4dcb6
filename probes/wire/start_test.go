package wire_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/wire"
)

// secured is a server of its own that asks for a password in each way, over TLS
// and without.
func secured(t *testing.T) *postgres.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s, err := postgres.Start(ctx, postgres.Options{Dir: postgres.MemoryDir()})
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop(context.Background())) })
	conn, err := pgconn.ConnectConfig(ctx, s.Config())
	must(t, err)
	defer conn.Close(ctx)
	run := func(sql string) {
		t.Helper()
		_, err := conn.Exec(ctx, sql).ReadAll()
		must(t, err)
	}
	certify(t, s)
	run("set password_encryption = 'md5'; create role with_md5 login password 'right'")
	run("set password_encryption = 'scram-sha-256'; create role with_scram login password 'right'; create role with_password login password 'right'; create role with_trust login")
	hba := "local all all trust\nhost all with_trust all trust\nhost all with_md5 all md5\nhost all with_password all password\n" +
		"hostssl all with_scram all scram-sha-256\nhostnossl all with_scram all scram-sha-256\nhost all all all scram-sha-256\n"
	must(t, os.WriteFile(filepath.Join(s.Dir(), "data", "pg_hba.conf"), []byte(hba), 0o600))
	run("alter system set ssl = on")
	run("select pg_reload_conf()")
	await(t, func() bool {
		r := conn.ExecParams(ctx, "select current_setting('ssl') = 'on' and exists (select from pg_hba_file_rules where user_name = '{with_md5}')", nil, nil, nil, nil).Read()
		return r.Err == nil && string(r.Rows[0][0]) == "t"
	})
	return s
}

// await polls until the condition holds; the test's own limit ends it.
func await(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); {
		if time.Now().After(end) {
			t.Fatal("what is waited for does not come")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// certify gives the server a key and a certificate, by way of SelfSigned.
func certify(t *testing.T, s *postgres.Server) {
	t.Helper()
	cfg, certificate, err := wire.SelfSigned(time.Now())
	must(t, err)
	key, err := x509.MarshalPKCS8PrivateKey(cfg.Certificates[0].PrivateKey)
	must(t, err)
	data := filepath.Join(s.Dir(), "data")
	info, err := os.Stat(data)
	must(t, err)
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})} {
		must(t, os.WriteFile(filepath.Join(data, name), content, 0o600))
		must(t, own(filepath.Join(data, name), info))
	}
}

func connectTo(t *testing.T, address, user, password, options string) error {
	t.Helper()
	cfg, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s:%s@%s/postgres?%s", user, password, address, options))
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	r := conn.ExecParams(ctx, "select current_user", nil, nil, nil, nil).Read()
	if r.Err == nil && string(r.Rows[0][0]) != user {
		t.Errorf("logged in as %s in place of %s", r.Rows[0][0], user)
	}
	return r.Err
}

// Every way to log in works through the proxy, with TLS on neither side, on
// either and on both, and a wrong password does not.
func TestLogin(t *testing.T) {
	s := secured(t)
	own, root, err := wire.SelfSigned(time.Now())
	must(t, err)
	ca := filepath.Join(t.TempDir(), "root.pem")
	must(t, os.WriteFile(ca, root, 0o600))
	for _, upstream := range []string{"disable", "require", "prefer"} {
		cfg, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s/postgres?sslmode=%s", s.Address(), upstream))
		must(t, err)
		p, err := wire.Listen(context.Background(), wire.Config{Upstream: cfg, TLS: own})
		must(t, err)
		defer p.Close()
		for _, user := range []string{"with_trust", "with_md5", "with_password", "with_scram"} {
			for _, client := range []string{"sslmode=disable", "sslmode=require", "sslmode=verify-full&sslrootcert=" + ca, "sslmode=require&sslnegotiation=direct"} {
				name := fmt.Sprintf("upstream %s, %s, %s", upstream, user, strings.Split(client, "&")[0])
				client += "&channel_binding=disable"
				if err := connectTo(t, p.Addr().String(), user, "right", client); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				err := connectTo(t, p.Addr().String(), user, "wrong", client)
				var e *pgconn.PgError
				if user != "with_trust" && (!errors.As(err, &e) || e.Code != "28P01") {
					t.Errorf("%s with a wrong password: %v", name, err)
				}
			}
		}
	}
}

// libpq says that it could bind the channel when it has TLS and is not offered
// to; a server that could too must take that for an attack. The client is told.
func TestChannelBindingIsExplained(t *testing.T) {
	s := secured(t)
	own, _, err := wire.SelfSigned(time.Now())
	must(t, err)
	cfg, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s/postgres?sslmode=require", s.Address()))
	must(t, err)
	p, err := wire.Listen(context.Background(), wire.Config{Upstream: cfg, TLS: own})
	must(t, err)
	defer p.Close()
	b := &bench{t: t, Proxy: p, direct: &pgconn.Config{User: "with_scram", Password: "right", Database: "postgres"}}
	for options, want := range map[string]string{
		"sslmode=disable":                         "",
		"sslmode=require channel_binding=disable": "",
		"sslmode=require":                         "channel_binding=disable",
		"sslmode=require channel_binding=require": "channel binding",
	} {
		_, errs, err := b.program("psql", false, "-X", "-At", "-c", "select 1", options)
		if want == "" && err != nil || want != "" && !strings.Contains(errs, want) {
			t.Errorf("%s: %v %s", options, err, errs)
		}
	}
}

func TestServerWithoutTLS(t *testing.T) {
	b := start(t)
	cfg := b.direct.Copy()
	cfg.TLSConfig = &tls.Config{InsecureSkipVerify: true}
	p, err := wire.Listen(context.Background(), wire.Config{Upstream: cfg})
	must(t, err)
	defer p.Close()
	err = connectTo(t, p.Addr().String(), b.direct.User, b.direct.Password, "sslmode=disable")
	if err == nil || !strings.Contains(err.Error(), "the server does not support TLS, which sslmode asks for") {
		t.Errorf("error %v", err)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l.Close()
	cfg, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s/postgres?sslmode=disable", l.Addr()))
	must(t, err)
	p, err := wire.Listen(context.Background(), wire.Config{Upstream: cfg})
	must(t, err)
	defer p.Close()
	err = connectTo(t, p.Addr().String(), "u", "p", "sslmode=disable")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "08001" || !strings.Contains(e.Message, l.Addr().String()) {
		t.Errorf("error %v", err)
	}
}

// first sends bytes to a proxy and returns what comes back before it hangs up.
func first(t *testing.T, p *wire.Proxy, parts ...[]byte) []byte {
	t.Helper()
	nc, err := net.Dial("tcp", p.Addr().String())
	must(t, err)
	defer nc.Close()
	for _, b := range parts {
		_, err = nc.Write(b)
		must(t, err)
	}
	_ = nc.(*net.TCPConn).CloseWrite()
	must(t, nc.SetDeadline(time.Now().Add(limit)))
	out, err := io.ReadAll(nc)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the proxy does not hang up: %v", err)
	}
	return out
}

func packet(code uint32, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(binary.BigEndian.AppendUint32(b, code), body...)
}

func TestFirstBytes(t *testing.T) {
	b := start(t)
	const tlsCode, gssCode = 80877103, 80877104
	for name, tc := range map[string]struct {
		sent [][]byte
		want string // the beginning of the answer
	}{
		"nothing":            {nil, ""},
		"HTTP":               {[][]byte{[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}, ""},
		"zeros":              {[][]byte{make([]byte, 100)}, ""},
		"half a packet":      {[][]byte{{0, 0, 0, 50, 0, 3}}, ""},
		"TLS, not offered":   {[][]byte{packet(tlsCode, "")}, "N"},
		"GSS, then TLS":      {[][]byte{packet(gssCode, ""), packet(tlsCode, "")}, "NN"},
		"always TLS":         {[][]byte{packet(tlsCode, ""), packet(tlsCode, ""), packet(tlsCode, ""), packet(tlsCode, ""), packet(tlsCode, "")}, "NNNN"},
		"direct TLS":         {[][]byte{{0x16, 3, 1, 0, 1, 1}}, "\x15\x03\x03\x00\x02\x02\x78"},
		"protocol 2":         {[][]byte{packet(2<<16, "user\x00")}, ""},
		"no end":             {[][]byte{packet(3<<16, "user\x00me")}, ""},
		"cancel of nobody":   {[][]byte{packet(80877102, "\x00\x00\x00\x01abcd")}, ""},
		"no user":            {[][]byte{packet(3<<16, "\x00")}, "E"},
		"protocol 3.9":       {[][]byte{packet(3<<16+9, "user\x00"+b.direct.User+"\x00\x00")}, "v"},
		"unknown option":     {[][]byte{packet(3<<16, "user\x00"+b.direct.User+"\x00_pq_.x\x00y\x00\x00")}, "v"},
		"garbage at the end": {[][]byte{packet(3<<16, "user\x00"+b.direct.User+"\x00\x00"), []byte("Q\x00\x00\x00\x01")}, "R"},
	} {
		got := string(first(t, b.Proxy, tc.sent...))
		if tc.want == "" && got != "" || !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: answered %.80q, want %q", name, got, tc.want)
		}
	}
	must(t, connectTo(t, b.Addr().String(), b.direct.User, b.direct.Password, "sslmode=disable"))
}

func TestTooManyClients(t *testing.T) {
	b := start(t, func(c *wire.Config) { c.MaxConns = 2 })
	ctx := t.Context()
	var open []*pgconn.PgConn
	for range 2 {
		conn, err := pgconn.Connect(ctx, b.dsn(""))
		must(t, err)
		open = append(open, conn)
	}
	_, err := pgconn.Connect(ctx, b.dsn(""))
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "53300" {
		t.Errorf("the third client: %v", err)
	}
	must(t, open[0].Close(ctx))
	await(t, func() bool {
		conn, err := pgconn.Connect(ctx, b.dsn(""))
		if err == nil {
			conn.Close(ctx)
		}
		return err == nil
	})
}
