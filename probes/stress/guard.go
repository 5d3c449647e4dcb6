package stress

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ccheck/ccheck/probes/pg"
)

// The bounds at which a run on somebody's server ends itself.
const (
	guardEvery = 2 * time.Second
	fewSlots   = 3                // free connections: others are about to be turned away
	maxLag     = 10 * time.Second // of a replica, when it was not behind before
)

// health is what the guard looks at.
type health struct {
	recovery bool
	started  string // pg_postmaster_start_time
	free     int    // connections below max_connections
	lag      time.Duration
}

// guard ends the run when the server is in trouble, whoever caused it: a
// failover or restart, connections running out, replicas falling behind.
func (r *run) guard(ctx context.Context, done <-chan struct{}) {
	conn, err := pg.Connect(ctx, r.Config(), nil, pg.Simple)
	if err != nil {
		r.fail(fmt.Errorf("watching over the server: %w", err))
		return
	}
	defer conn.Close()
	defer conn.Watch(ctx)()
	before, err := look(conn)
	if err != nil {
		r.fail(fmt.Errorf("watching over the server: %w", err))
		return
	}
	t := time.NewTicker(guardEvery)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
		}
		now, err := look(conn)
		if err != nil {
			return // the lanes will tell
		}
		if why := trouble(before, now); why != "" {
			r.fail(&TroubleError{why})
			return
		}
	}
}

// TroubleError says that a run was ended for the sake of the server.
type TroubleError struct{ Why string }

func (e *TroubleError) Error() string { return "the run was ended to spare the server: " + e.Why }

func trouble(before, now health) string {
	switch {
	case now.recovery:
		return "it has become a standby (failover)"
	case now.started != before.started:
		return "it was restarted"
	case now.free <= fewSlots && now.free < before.free:
		return fmt.Sprintf("only %d connections are free", now.free)
	case now.lag > max(maxLag, 2*before.lag):
		return fmt.Sprintf("a replica is %v behind", now.lag.Round(time.Second))
	}
	return ""
}

func look(conn *pg.Conn) (health, error) {
	res, err := conn.Ask(`select pg_is_in_recovery(), pg_postmaster_start_time(),
		current_setting('max_connections')::int - (select count(*) from pg_stat_activity where backend_type = 'client backend'),
		(select coalesce(max(extract(epoch from replay_lag)), 0)::float8 from pg_stat_replication)`)
	if err != nil {
		return health{}, err
	}
	row := res.Rows[0]
	free, err := strconv.Atoi(row[2].Text)
	if err != nil {
		return health{}, err
	}
	lag, err := strconv.ParseFloat(row[3].Text, 64)
	return health{row[0].Text == "t", row[1].Text, free, time.Duration(lag * float64(time.Second))}, err
}
