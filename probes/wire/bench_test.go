package wire_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/wire"
)

// BenchmarkRoundTrip is one statement at a time on one connection. What pgbench
// measures beside pgbouncer is in cmd/benchwire.
func BenchmarkRoundTrip(b *testing.B) {
	direct := pgtest.Config(b)
	for _, name := range []string{"direct", "plain", "recorded", "gated"} {
		b.Run(name, func(b *testing.B) {
			cfg := direct.Copy()
			if name != "direct" {
				p := proxyFor(b, name, direct)
				cfg.Port, cfg.Host = uint16(p.Addr().Port), "127.0.0.1"
			}
			conn, err := pgconn.ConnectConfig(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close(b.Context())
			b.ReportAllocs()
			for b.Loop() {
				if err := conn.Exec(b.Context(), "select 1").Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func proxyFor(b *testing.B, name string, direct *pgconn.Config) *wire.Proxy {
	b.Helper()
	cfg := wire.Config{Upstream: direct}
	switch name {
	case "recorded":
		w, err := history.Create(filepath.Join(b.TempDir(), "h.jsonl"), history.Header{}, 0)
		if err != nil {
			b.Fatal(err)
		}
		cfg.History = w
	case "gated":
		cfg.Gate = silentGate{}
	}
	p, err := wire.Listen(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	return p
}

// silentGate lets everything through.
type silentGate struct{}

func (silentGate) Opened(*wire.Conn) error                              { return nil }
func (silentGate) Arrive(context.Context, *wire.Conn, wire.Batch) error { return nil }
func (silentGate) Answered(*wire.Conn, wire.Result)                     {}
func (silentGate) Closed(*wire.Conn)                                    {}
