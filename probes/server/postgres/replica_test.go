//go:build linux || darwin

package postgres

import (
	"testing"
	"time"
)

// flushed makes a commit wait until its log can be sent to replicas, so that
// the position asked for after it is at or behind it.
var flushed = Options{Settings: map[string]string{"synchronous_commit": "on"}}

// replayed waits until a replica has applied what the primary has written.
func replayed(t *testing.T, primary, replica *Server) {
	t.Helper()
	lsn := ask(t, primary.Config(), "SELECT pg_current_wal_flush_lsn()")
	until(t, "the replica has applied "+lsn, func() bool {
		return ask(t, replica.Config(), "SELECT pg_last_wal_replay_lsn() >= '"+lsn+"'") == "t"
	})
}

func TestReplicaStreams(t *testing.T) {
	s := startTest(t, flushed)
	run(t, s, "CREATE TABLE account (id int PRIMARY KEY, balance int)", "INSERT INTO account VALUES (1, 10)")
	r, err := s.AddReplica(testContext(t), ReplicaOptions{Settings: map[string]string{"cluster_name": "second"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, r.Config(), "SELECT pg_is_in_recovery()::text || ' ' || current_setting('cluster_name')"); got != "true second" {
		t.Errorf("the replica: %s", got)
	}
	run(t, s, "UPDATE account SET balance = 20")
	replayed(t, s, r)
	if got := ask(t, r.Config(), "SELECT balance FROM account"); got != "20" {
		t.Errorf("balance on the replica: %s", got)
	}
	if got := ask(t, s.Config(), "SELECT state FROM pg_stat_replication"); got != "streaming" {
		t.Errorf("state %q", got)
	}
	if err := exec(testContext(t), r.Config(), "UPDATE account SET balance = 30"); err == nil {
		t.Error("the replica accepts writes")
	}
	if _, err := r.AddReplica(testContext(t), ReplicaOptions{}); err == nil {
		t.Error("a replica of a replica was promised")
	}
}

// TestReplicaOfABusyPrimary copies while pages change under the copy, with
// full_page_writes off; the sum shows a page that was torn and not mended.
func TestReplicaOfABusyPrimary(t *testing.T) {
	s := startTest(t, flushed)
	run(t, s, "CREATE TABLE account (id int PRIMARY KEY, balance int)", "INSERT INTO account SELECT i, 100 FROM generate_series(1, 5000) i")
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for n := 0; err == nil; n++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				err = exec(testContext(t), s.Config(), "UPDATE account SET balance = balance + CASE id % 2 WHEN 0 THEN 1 ELSE -1 END")
			}
		}
		stopped <- err
	}()
	r, err := s.AddReplica(testContext(t), ReplicaOptions{})
	close(stop)
	if busy := <-stopped; err != nil || busy != nil {
		t.Fatal(err, busy)
	}
	replayed(t, s, r)
	sum := "SELECT count(*) || ' ' || sum(balance) || ' ' || sum(balance * id) FROM account"
	if primary, replica := ask(t, s.Config(), sum), ask(t, r.Config(), sum); primary != replica {
		t.Errorf("primary %s, replica %s", primary, replica)
	}
}

func TestReplicaApplyDelay(t *testing.T) {
	s := startTest(t, flushed)
	run(t, s, "CREATE TABLE account (balance int)")
	r, err := s.AddReplica(testContext(t), ReplicaOptions{ApplyDelay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, "INSERT INTO account VALUES (1)")
	lsn := ask(t, s.Config(), "SELECT pg_current_wal_flush_lsn()")
	until(t, "the replica has received "+lsn, func() bool {
		return ask(t, r.Config(), "SELECT pg_last_wal_receive_lsn() >= '"+lsn+"'") == "t"
	})
	if got := ask(t, r.Config(), "SELECT count(*) FROM account"); got != "0" {
		t.Errorf("the replica shows %s rows that it should hold back", got)
	}
}

func TestReplicaStopsAlone(t *testing.T) {
	s := startTest(t, flushed)
	r, err := s.AddReplica(testContext(t), ReplicaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if !gone(r.Dir()) {
		t.Errorf("%s is left", r.Dir())
	}
	if got := ask(t, s.Config(), "SELECT count(*) FROM pg_replication_slots"); got != "0" {
		t.Errorf("%s slots are left on the primary", got)
	}
}

func TestPrimaryStopsItsReplicas(t *testing.T) {
	s := startTest(t, flushed)
	r, err := s.AddReplica(testContext(t), ReplicaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if !gone(r.Dir()) || r.PID() != 0 {
		t.Errorf("the replica is left: %s, process %d", r.Dir(), r.PID())
	}
}

func run(t *testing.T, s *Server, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := exec(testContext(t), s.Config(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
