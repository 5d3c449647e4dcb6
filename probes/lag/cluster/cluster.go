// Package cluster is a throw-away primary with replicas that lag as one wants
// and can be cut off. It reads and judges nothing. Commands and tests import it.
package cluster

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/server/postgres"
)

// Cluster is a primary with replicas, of which the last one is the late one.
type Cluster struct {
	Replicas []*postgres.Server
	relay    *relay // nil unless the last one can be cut off
}

// Grow adds replicas to the primary, which stops them with itself. The last one
// applies every commit so much later. Where it shall be cut off, its log comes
// through a relay.
func Grow(ctx context.Context, primary *postgres.Server, n int, delay time.Duration, cuttable bool) (*Cluster, error) {
	c := &Cluster{}
	for i := range n {
		// A replica that was cut off comes back at once, not after five seconds.
		o := postgres.ReplicaOptions{Settings: map[string]string{"wal_retrieve_retry_interval": "100ms"}}
		if i == n-1 {
			o.ApplyDelay = delay
		}
		r, err := primary.AddReplica(ctx, o)
		if err != nil {
			return nil, err
		}
		c.Replicas = append(c.Replicas, r)
	}
	if !cuttable {
		return c, nil
	}
	var err error
	if c.relay, err = newRelay(primary.Address()); err != nil {
		return nil, err
	}
	if err := reroute(ctx, c.Replicas[n-1].Config(), c.relay.address()); err != nil {
		c.relay.close()
		return nil, err
	}
	return c, nil
}

var endpoint = regexp.MustCompile(`host=\S+ port=\S+`)

// reroute makes a replica take its log from another address.
func reroute(ctx context.Context, config *pgconn.Config, address string) error {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connecting to the replica: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	res := conn.ExecParams(ctx, "select current_setting('primary_conninfo')", nil, nil, nil, nil).Read()
	if res.Err != nil {
		return fmt.Errorf("reading where the replica takes its log from: %w", res.Err)
	}
	host, port, _ := strings.Cut(address, ":")
	info := endpoint.ReplaceAllString(string(res.Rows[0][0]), "host="+host+" port="+port)
	sql := "alter system set primary_conninfo = '" + strings.ReplaceAll(info, "'", "''") + "'"
	for _, s := range []string{sql, "select pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, s).ReadAll(); err != nil {
			return fmt.Errorf("giving the replica another way to its log: %w", err)
		}
	}
	return nil
}

// Cut lets no byte of the log through to the last replica, until Mend.
func (c *Cluster) Cut() error { c.relay.cut(true); return nil }

// Mend ends a Cut.
func (c *Cluster) Mend() error { c.relay.cut(false); return nil }

// Close ends the relay. The servers are their owner's to stop.
func (c *Cluster) Close() {
	if c.relay != nil {
		c.relay.close()
	}
}
