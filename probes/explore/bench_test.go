package explore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// tester is where Debian's server package has PostgreSQL's own runner.
const tester = "/usr/lib/postgresql/15/lib/pgxs/src/test/isolation/isolationtester"

const spec = `setup { create table seat_holder (person text primary key, role text); insert into seat_holder values ('wen', 'admin'), ('xia', 'admin'); }
teardown { drop table seat_holder; }
session a
step a1 { begin; select count(*) from seat_holder where role = 'admin' and person <> 'wen'; }
step a2 { update seat_holder set role = 'guest' where person = 'wen'; }
step a3 { commit; }
session b
step b1 { begin; select count(*) from seat_holder where role = 'admin' and person <> 'xia'; }
step b2 { update seat_holder set role = 'guest' where person = 'xia'; }
step b3 { commit; }
`

// BenchmarkIsolationtester runs the 20 permutations of two lanes of three
// statements in PostgreSQL's own runner, to compare with in the same run.
func BenchmarkIsolationtester(b *testing.B) {
	if _, err := os.Stat(tester); err != nil {
		b.Skipf("SKIPPED: no isolationtester at %s; there is nothing to compare with", tester)
	}
	cfg := pgtest.Config(b)
	dsn := fmt.Sprintf("host=%s port=%d user=%s dbname=%s password=%s options='-c synchronous_commit=off'", cfg.Host, cfg.Port, cfg.User, cfg.Database, cfg.Password)
	for b.Loop() {
		cmd := exec.Command(tester, dsn)
		cmd.Stdin = strings.NewReader(spec)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "starting permutation") {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	b.ReportMetric(20*float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
}

// BenchmarkSchedules explores whole trees: schedules/s is the figure. Recording
// and reading the tables back is on.
func BenchmarkSchedules(b *testing.B) {
	for _, c := range []struct {
		name, scenario string
		lanes          []string
	}{
		{"two lanes of three statements", "../scenario/testdata/cases/13-last-admin-leaves", []string{"a", "b"}},
		{"two lanes of five statements", "../scenario/testdata/cases/39-reset-token-used-twice", []string{"a", "b"}},
		{"two lanes of three that wait", "../scenario/testdata/cases/19-lock-the-last-invoice", []string{"a", "b"}},
		{"three lanes of three statements", "../scenario/testdata/cases/13-last-admin-leaves", []string{"a", "b", "a"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			sc := open(b, c.scenario)
			var n, steps, polls int64
			var took time.Duration
			for b.Loop() {
				b.StopTimer()
				o := options(b, sc, c.lanes, scenario.ReadCommitted)
				b.StartTimer()
				counts, err := Drive(b.Context(), o)
				if err != nil {
					b.Fatal(err)
				}
				n += int64(counts.Schedules + counts.Serial)
				took += counts.Elapsed
				steps += counts.Steps
				polls += counts.Polls
			}
			b.ReportMetric(float64(n)/took.Seconds(), "schedules/s")
			b.ReportMetric(float64(steps)/float64(n), "steps/schedule")
			b.ReportMetric(float64(polls)/float64(n), "polls/schedule")
		})
	}
}

// BenchmarkReset compares ways to put two changed rows of a small table back.
func BenchmarkReset(b *testing.B) {
	for _, size := range []int{2, 1000} {
		for _, way := range []struct{ name, sql string }{
			{"update", "update acct a set cents = k.cents from kept k where a.id = k.id and a.id in (1, 2)"},
			{"delete and insert the rows", "delete from acct where id in (1, 2); insert into acct select * from kept where id in (1, 2)"},
			{"delete and insert all", "delete from acct; insert into acct select * from kept"},
			{"truncate and insert", "truncate acct; insert into acct select * from kept"},
		} {
			b.Run(way.name+map[int]string{2: " of 2", 1000: " of 1000"}[size], func(b *testing.B) {
				conn := resetTable(b, size)
				for b.Loop() {
					if _, err := conn.Ask("update acct set cents = cents + 1 where id in (1, 2)"); err != nil {
						b.Fatal(err)
					}
					if _, err := conn.Ask(way.sql); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func resetTable(b *testing.B, size int) *pg.Conn {
	o := options(b, open(b, "../scenario/testdata/cases/03-transfer-opposite-order"), []string{"a", "b"}, "")
	conn, err := pg.Connect(context.Background(), o.Config(), nil, pg.Simple)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	for _, sql := range []string{
		"create table acct (id int primary key, cents bigint not null)",
		"create temp table kept as select n as id, 100::bigint as cents from generate_series(1, " + map[int]string{2: "2", 1000: "1000"}[size] + ") n",
		"insert into acct select * from kept",
	} {
		if _, err := conn.Ask(sql); err != nil {
			b.Fatal(err)
		}
	}
	return conn
}
