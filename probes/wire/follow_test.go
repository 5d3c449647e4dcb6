package wire

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ccheck/ccheck/probes/history"
)

// feed is an end of a connection that reads what it is given, and takes all.
type feed struct {
	net.Conn
	b []byte
}

func (f *feed) Read(b []byte) (int, error) {
	if len(f.b) == 0 {
		return 0, errAgain
	}
	n := copy(b, f.b)
	f.b = f.b[n:]
	return n, nil
}

func (f *feed) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkFollow is what it takes to follow a statement and its answer beside
// the system calls.
func BenchmarkFollow(b *testing.B) {
	row := encode(b, &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("abalance"), DataTypeOID: 23, DataTypeSize: 4}}},
		&pgproto3.DataRow{Values: [][]byte{[]byte("-2345")}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	done := encode(b, &pgproto3.CommandComplete{CommandTag: []byte("UPDATE 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	for _, c := range []struct {
		name, sql string
		answer    []byte
		recorded  bool
	}{
		{"select/followed", "SELECT abalance FROM pgbench_accounts WHERE aid = 748213;", row, false},
		{"select/recorded", "SELECT abalance FROM pgbench_accounts WHERE aid = 748213;", row, true},
		{"update/recorded", "UPDATE pgbench_accounts SET abalance = abalance + -2345 WHERE aid = 748213;", done, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			conn, client, server := fed(b, c.recorded)
			question := encode(b, &pgproto3.Query{String: c.sql})
			b.ReportAllocs()
			for b.Loop() {
				client.b, server.b = question, c.answer
				if front, back := conn.front(), conn.back(); front != errAgain || back != errAgain {
					b.Fatal(front, back)
				}
			}
		})
	}
}

func encode(b *testing.B, messages ...pgproto3.Message) []byte {
	b.Helper()
	var out []byte
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			b.Fatal(err)
		}
	}
	return out
}

// fed is a connection in the middle of a session.
func fed(b *testing.B, recorded bool) (c *Conn, client, server *feed) {
	b.Helper()
	var cfg Config
	if recorded {
		w, err := history.Create(filepath.Join(b.TempDir(), "h.jsonl"), history.Header{}, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { w.Close() })
		cfg.History = w
	}
	p := &Proxy{cfg: cfg.withDefaults(), tape: newTape(cfg.History, 0), ctx: b.Context()}
	client, server = &feed{}, &feed{}
	c = newConn(p, client)
	c.server = c.side(server, maxRow)
	c.begin()
	return c, client, server
}
