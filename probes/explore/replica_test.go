package explore

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// besides are the configurations of a server of the test's own and its replica.
func besides(t *testing.T) (primary, standby *pgconn.Config) {
	t.Helper()
	s := pgtest.Start(t)
	r, err := s.AddReplica(t.Context(), postgres.ReplicaOptions{})
	must(t, err)
	return s.Config(), r.Config()
}

// onReplica explores a scenario with a replica.
func onReplica(t *testing.T, primary, standby *pgconn.Config, sc *scenario.Scenario, level scenario.Isolation) (Counts, string) {
	t.Helper()
	there := func() *pgconn.Config {
		cfg := standby.Copy()
		if cfg.RuntimeParams["default_transaction_isolation"] = string(level); level == scenario.Serializable {
			cfg.RuntimeParams["default_transaction_isolation"] = string(scenario.RepeatableRead)
		}
		return cfg
	}
	return exploredIn(t, primary, sc, actors(sc), level, func(o *Options) {
		lanes, stmts, err := ScriptLanes(ScriptOptions{Scenario: sc, Config: o.Config, Replica: there, Isolation: level}, actors(sc))
		must(t, err)
		o.Lanes, o.Stmts, o.Replica = lanes, stmts, there
	})
}

const (
	account = "create table account (id int primary key, cents int not null); insert into account values (1, 100);"
	payout  = `-- @retry 40001
-- @on replica
SELECT cents FROM account WHERE id = 1 \gset
-- @decide :cents >= 80
UPDATE account SET cents = cents - 80 WHERE id = 1;
`
	// caught reads on the replica once that has what the primary has.
	caught = `-- @retry 40001
BEGIN;
SELECT pg_advisory_xact_lock(1);
SELECT pg_current_wal_insert_lsn() AS lsn \gset
\set there 0
-- @on replica
SELECT cents AS there FROM account WHERE id = 1 AND pg_last_wal_replay_lsn() >= :lsn::pg_lsn \aset
-- @decide :there >= 80
UPDATE account SET cents = cents - 80 WHERE id = 1;
COMMIT;
`
	onPrimary = `-- @retry 40001
UPDATE account SET cents = cents - 80 WHERE id = 1 AND cents >= 80;
-- @rows paid
-- @decide :paid = 1
`
	overdrawn = "select id, cents from account where cents < 0"
)

// A decision on what a replica shows breaks at every level, also when the calls
// do not overlap; one on the primary does not, nor one on a replica that has
// caught up.
func TestReplicaIsBehind(t *testing.T) {
	primary, standby := besides(t)
	for _, level := range levels {
		n, path := onReplica(t, primary, standby, written(t, account, payout, overdrawn), level)
		if n.Broken == 0 || !n.Whole || n.Missed > 0 {
			t.Errorf("%s: %d of %d schedules break, missed %d", level, n.Broken, n.Schedules, n.Missed)
		}
		if first := n.First.Text([]string{"a", "b"}); first != "a a a b b b" {
			t.Errorf("%s: the smallest schedule is %q; one call after the other is enough", level, first)
		}
		if found := judged(t, path, false); len(found) == 0 {
			t.Errorf("%s: without claims nothing is found", level)
		}
		for _, right := range []string{caught, onPrimary} {
			sc := written(t, account, right, overdrawn)
			if n, path := onReplica(t, primary, standby, sc, level); n.Broken > 0 || len(judged(t, path, false)) > 0 {
				t.Errorf("%s: %d of %d schedules break of\n%s", level, n.Broken, n.Schedules, right)
			}
		}
	}
}

// A read on the replica sees the state after any of the commits, also one in
// the middle while the primary is further; and what is only read there may be
// old, since another order of the calls gives the same.
func TestReplicaStopsAnywhere(t *testing.T) {
	primary, standby := besides(t)
	const schema = "create table step (x int); insert into step values (0); create table seen (x int, y int);"
	const script = `\if :me = 1
UPDATE step SET x = 1;
UPDATE step SET x = 2;
\else
-- @on replica
SELECT x FROM step \gset
INSERT INTO seen SELECT :x::int, x FROM step;
\endif
`
	for _, claim := range []string{"x = 0 and y = 2", "x = 1 and y = 2", "x = 2 and y = 2", "x = 0 and y = 1"} {
		n, _ := onReplica(t, primary, standby, written(t, schema, script, "select x from seen where "+claim), scenario.ReadCommitted)
		if n.Broken == 0 {
			t.Errorf("no schedule has %s", claim)
		}
	}
	reading := strings.Replace(script, "INSERT INTO seen SELECT :x::int, x FROM step;\n", "", 1)
	reading = strings.Replace(reading, "UPDATE step SET x = 1;\n", "", 1)
	sc := written(t, schema, reading, "select x from step where x = 1")
	if _, path := onReplica(t, primary, standby, sc, scenario.ReadCommitted); len(judged(t, path, false)) > 0 {
		t.Errorf("an old answer is taken for wrong: %+v", judged(t, path, false))
	}
}

// Without a replica a script that reads from one is refused, with its place.
func TestNoReplica(t *testing.T) {
	sc := written(t, account, payout, overdrawn)
	o := options(t, sc, actors(sc), scenario.ReadCommitted)
	if _, err := Drive(t.Context(), o); err == nil || !strings.Contains(err.Error(), "txn.sql:3: -- @on replica: there is no replica") {
		t.Errorf("got %v", err)
	}
}
