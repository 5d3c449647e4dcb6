package explore

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/scenario"
)

// PostgreSQL picks the victim of a deadlock by who asks last. What comes of it
// must be among what comes of making each lane the victim in turn.
func TestDeadlocksAreThoseOfTheServer(t *testing.T) {
	sc := open(t, "../scenario/testdata/cases/03-transfer-opposite-order")
	for _, level := range levels {
		ours, _ := explored(t, sc, actors(sc), level, nil)
		real, _ := explored(t, sc, actors(sc), level, func(o *Options) {
			o.RealDeadlocks = true
			config := o.Config
			o.Config = func() *pgconn.Config { return config() }
			lanes, stmts, err := ScriptLanes(ScriptOptions{Scenario: sc, Isolation: level, Config: func() *pgconn.Config {
				cfg := config()
				cfg.RuntimeParams["deadlock_timeout"] = "20ms"
				return cfg
			}}, actors(sc))
			must(t, err)
			o.Lanes, o.Stmts = lanes, stmts
		})
		if ours.Deadlocks == 0 || real.Ends["40P01"] == 0 || real.Schedules >= ours.Schedules {
			t.Errorf("%s: %d deadlocks in %d schedules, the server's %v in %d", level, ours.Deadlocks, ours.Schedules, real.Ends, real.Schedules)
		}
		for name := range real.Ends {
			if ours.Ends[name] == 0 {
				t.Errorf("%s: the server answers %s, and we never do: %v", level, name, slices.Collect(maps.Keys(ours.Ends)))
			}
		}
	}
}

// readOnly is the anomaly of Fekete, O'Neil and O'Neil ("A read-only transaction
// anomaly under snapshot isolation", SIGMOD Record 33(3), 2004): two writers
// that are serializable without the reader, who saw what no order gives.
const readOnly = "testdata/read-only"

func TestThreeLanes(t *testing.T) {
	sc := open(t, readOnly)
	n, path := explored(t, sc, []string{"deposit", "withdraw", "report"}, scenario.RepeatableRead, func(o *Options) { o.Commute = commute })
	if found := judged(t, path, false); len(found) == 0 {
		t.Errorf("the read-only anomaly was not found in %d schedules", n.Schedules)
	}
	n, path = explored(t, sc, []string{"deposit", "withdraw", "report"}, scenario.Serializable, func(o *Options) { o.Commute = commute })
	if found := judged(t, path, false); len(found) > 0 {
		t.Errorf("at SERIALIZABLE: %s (%d schedules)", found[0].Message, n.Schedules)
	}
}

// The smallest schedule breaks every time it is run again, and holds when the
// fix is in.
func TestReplay(t *testing.T) {
	sc := open(t, "../scenario/testdata/cases/01-wallet-absolute-write")
	first, _ := explored(t, sc, actors(sc), scenario.ReadCommitted, nil)
	again := func(o *Options) { o.Replay = slices.Repeat([]Schedule{first.First}, 10) }
	if n, _ := explored(t, sc, actors(sc), scenario.ReadCommitted, again); n.Broken != 10 || n.Missed != 0 {
		t.Errorf("%d of 10 break, %d went another way", n.Broken, n.Missed)
	}
	fixed, err := sc.Variant("fixed")
	must(t, err)
	if n, _ := explored(t, fixed, actors(sc), scenario.ReadCommitted, again); n.Broken != 0 {
		t.Errorf("with the fix %d of 10 break", n.Broken)
	}
}

// A limit is told, and what is left with it.
func TestLimit(t *testing.T) {
	sc := open(t, "../scenario/testdata/cases/13-last-admin-leaves")
	n, _ := explored(t, sc, actors(sc), scenario.ReadCommitted, func(o *Options) { o.Max = 8 })
	if n.Schedules != 8 || n.Whole || n.Left == 0 || !strings.Contains(n.Cut, "limit of 8") {
		t.Errorf("%+v", n)
	}
}

// The history of an exploration can be read whole, and its rounds are marked.
func TestHistory(t *testing.T) {
	sc := open(t, "../scenario/testdata/cases/19-lock-the-last-invoice")
	n, path := explored(t, sc, actors(sc), scenario.ReadCommitted, nil)
	f, err := history.Open(path)
	must(t, err)
	phases, waits := map[string]int{}, 0
	for o, err := range f.Ops() {
		must(t, err)
		switch o.Scope {
		case history.ScopeNote:
			phases[o.Phase]++
		case history.ScopeWait:
			waits++
		}
	}
	want := map[string]int{"": n.Serial + n.Schedules, Serial: 5, Repeated: 2, Explored: n.Schedules, Ended: 1}
	if diff := cmp.Diff(want, phases); diff != "" || waits == 0 {
		t.Errorf("%d waits, notes %s", waits, diff)
	}
}

func TestSchedulesAreReadAsTheyAreWritten(t *testing.T) {
	names := Names([]string{"a", "b", "a"})
	rapid.Check(t, func(t *rapid.T) {
		s := Schedule(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Choice {
			return rapid.OneOf(rapid.Just(Choice{Replay: true}), rapid.Custom(func(t *rapid.T) Choice {
				return Choice{Lane: rapid.IntRange(0, 2).Draw(t, "lane"), Victim: rapid.Bool().Draw(t, "victim")}
			})).Draw(t, "choice")
		}), 1, 20).Draw(t, "schedule"))
		got, err := ParseSchedule(s.Text(names), names)
		if diff := cmp.Diff(s, got); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	})
	for _, bad := range []string{"", "c", "a !", "a#1"} {
		if s, err := ParseSchedule(bad, names); err == nil {
			t.Errorf("%q is read as %v", bad, s)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	f.Add("a b a !b")
	f.Add("! a")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text, []string{"a", "b"})
		if err == nil && len(s) == 0 {
			t.Errorf("%q is an empty schedule", text)
		}
	})
}

func TestOrders(t *testing.T) {
	want := [][]int{{0, 1}, {1, 0}, {0}, {1}, {}}
	got := orders(2)
	for i := range got {
		if len(got[i]) == 0 {
			got[i] = []int{}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(orders(3)); n != 16 {
		t.Errorf("%d orders of three lanes, want 16", n)
	}
}
