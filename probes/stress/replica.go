package stress

import (
	"context"
	"fmt"
	"time"

	"github.com/ccheck/ccheck/probes/pg"
)

// followLimit is how long a replica may take to replay the set-up.
const followLimit = time.Minute

// follow waits until the replica has what the set-up made, so that no lane finds
// it without its tables.
func (r *run) follow(ctx context.Context) error {
	if r.Replica == nil {
		return nil
	}
	conn, err := pg.Connect(ctx, r.Replica(), nil, pg.Simple)
	if err != nil {
		return fmt.Errorf("connecting to the replica: %w", err)
	}
	defer conn.Close()
	at, err := r.admin.Ask("select pg_current_wal_insert_lsn()")
	if err != nil {
		return fmt.Errorf("asking for the position in the log: %w", err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(followLimit)
	for {
		there, err := conn.Ask("select pg_last_wal_replay_lsn() >= '" + at.Rows[0][0].Text + "'::pg_lsn")
		if err != nil {
			return fmt.Errorf("asking the replica how far it is: %w", err)
		}
		if there.Rows[0][0].Text == "t" {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("the replica did not replay the set-up within %v", followLimit)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
