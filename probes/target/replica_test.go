package target_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
	"github.com/ccheck/ccheck/probes/target"
)

// TestConnectReplica takes a replica, and refuses what is none of this primary.
func TestConnectReplica(t *testing.T) {
	ctx := t.Context()
	start := func() (primary, replica *postgres.Server) {
		primary, err := postgres.Start(ctx, postgres.Options{Dir: postgres.MemoryDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { primary.Stop(context.Background()) })
		replica, err = primary.AddReplica(ctx, postgres.ReplicaOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return primary, replica
	}
	primary, replica := start()
	_, foreign := start()
	conn := connect(t, parse(t, primary.DSN()), run())
	attached, err := target.Attached(ctx, conn)
	if err != nil || len(attached) != 1 || !strings.HasSuffix(attached[0], "at 127.0.0.1") {
		t.Errorf("attached are %q, %v", attached, err)
	}

	serializable := change(t, replica.DSN(), func(u *url.URL) {
		q := u.Query()
		q.Set("options", "-c default_transaction_isolation=serializable")
		u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	})
	for name, tt := range map[string]struct{ dsn, msg string }{
		"a replica":       {replica.DSN(), ""},
		"a primary":       {primary.DSN(), "is no replica: it is not in recovery"},
		"another server":  {pgtest.Start(t).DSN(), "is no replica: it is not in recovery"},
		"another cluster": {foreign.DSN(), "is a replica of another cluster: its system identifier is"},
		"serializable":    {serializable, "refuses SERIALIZABLE, which is not possible on a hot standby (SQLSTATE 0A000)"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(t, tt.dsn).ConnectReplica(ctx, run(), settings, conn)
			if err == nil {
				got.Close(ctx)
			}
			if tt.msg == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if e := problem(t, err); e.Kind != target.Replica || e.Exit != 3 || !strings.Contains(e.Msg, tt.msg) || e.Hint == "" {
				t.Errorf("kind %q, exit %d: %q, hint %q", e.Kind, e.Exit, e.Msg, e.Hint)
			}
		})
	}
}
