package scenario_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/server/postgres/pgtest"
)

// everyVersion calls f with the built-in scenarios and their variants.
func everyVersion(t *testing.T, f func(*testing.T, *scenario.Scenario)) {
	for _, s := range scenario.Builtin() {
		for _, v := range versions(t, s) {
			t.Run(v.FullName(), func(t *testing.T) { f(t, v) })
		}
	}
}

func TestBuiltinsHoldSerially(t *testing.T) {
	config := pgtest.Config(t)
	everyVersion(t, func(t *testing.T, s *scenario.Scenario) {
		st := newStage(t, config, s, scenario.ReadCommitted)
		for i := range s.Actors {
			st.call(&s.Actors[i], i)
		}
		if found := st.violations(); found != nil {
			t.Errorf("violations after a serial run: %q", found)
		}
	})
}

// duels are two calls of one actor on tables so small that they meet. apart is
// the distance of their random numbers: 0 makes them choose alike.
var duels = []struct {
	scenario, actor string
	params          map[string]string
	apart           int
}{
	{"counter", "view", map[string]string{"pages": "1"}, 0},
	{"coupon", "redeem", map[string]string{"uses": "1"}, 0},
	{"inventory", "order", map[string]string{"items": "1", "start": "3"}, 0},
	{"ledger", "transfer", map[string]string{"accounts": "2", "start": "10", "most": "10"}, 0},
	{"seat", "buy", nil, 0},
	{"unique-signup", "signup", nil, 0},
	{"wallet", "topup", map[string]string{"accounts": "1"}, 0},
	{"wallet", "transfer", map[string]string{"accounts": "3"}, 1},
	{"wallet", "withdraw", map[string]string{"accounts": "1"}, 0},
}

// Positive control: statement by statement in turn, two calls break the default
// version at READ COMMITTED, and break no fixed version at any level.
func TestBuiltinsBreakAndTheirFixesHold(t *testing.T) {
	config := pgtest.Config(t)
	for _, d := range duels {
		for _, v := range versions(t, open(t, d.scenario)) {
			s := with(v, d.params)
			t.Run(v.FullName()+"/"+d.actor, func(t *testing.T) {
				if s.Version == "" {
					if found := duel(newStage(t, config, s, scenario.ReadCommitted), d.actor, d.apart); found == nil {
						t.Error("nothing broke")
					}
				}
				for _, level := range levels {
					if found := duel(newStage(t, config, s, level), d.actor, d.apart); s.Fixed && found != nil {
						t.Errorf("%s: %q", level, found)
					}
				}
			})
		}
	}
}

// The trap in the ledger's variant that is no fix.
func TestLockBeforeSumIsWrongAtRepeatableRead(t *testing.T) {
	config := pgtest.Config(t)
	s := with(open(t, "ledger/for-update"), map[string]string{"accounts": "2", "start": "10", "most": "10"})
	for level, breaks := range map[scenario.Isolation]bool{
		scenario.ReadCommitted: false, scenario.RepeatableRead: true, scenario.Serializable: false,
	} {
		if found := duel(newStage(t, config, s, level), "transfer", 0); (found != nil) != breaks {
			t.Errorf("%s: %q, want some: %v", level, found, breaks)
		}
	}
}

// duel lets pairs of calls take turns until something breaks; the random
// numbers of a call come from its number.
func duel(st *stage, actor string, apart int) []string {
	for round := range 6 {
		lanes := []*lane{st.lane(st.s.Actor(actor), 0, round), st.lane(st.s.Actor(actor), 1, round+apart)}
		st.play(lanes, strings.Repeat("ab", 12))
		if found := st.violations(); found != nil {
			return found
		}
		for _, c := range st.counts {
			if st.s.Fixed && c.Failed+c.Unknown > 0 {
				return []string{"a call failed"}
			}
		}
	}
	return nil
}

// with is s with other values for some parameters.
func with(s *scenario.Scenario, values map[string]string) *scenario.Scenario {
	set := func(params []scenario.Param) []scenario.Param {
		params = slices.Clone(params)
		for i, p := range params {
			if v, ok := values[p.Name]; ok {
				params[i].Value = v
			}
		}
		return params
	}
	other := *s
	other.Params = set(s.Params)
	other.Actors = slices.Clone(s.Actors)
	for i := range other.Actors {
		other.Actors[i].Params = set(other.Actors[i].Params)
	}
	return &other
}

// Every script of a built-in scenario is an ordinary pgbench script.
func TestBuiltinScriptsRunUnderPgbench(t *testing.T) {
	pgbench := findPgbench(t)
	config := pgtest.Config(t)
	everyVersion(t, func(t *testing.T, s *scenario.Scenario) {
		st := newStage(t, config, s, scenario.ReadCommitted)
		for _, a := range s.Actors {
			for _, protocol := range []string{"simple", "prepared"} {
				runPgbench(t, st.config, pgbench, protocol, a)
			}
		}
	})
}

func runPgbench(t *testing.T, config *pgconn.Config, pgbench, protocol string, a scenario.Actor) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(file, []byte(a.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "-t", "1", "--random-seed=3", "-M", protocol, "-f", file, "-U", config.User}
	for _, p := range a.Params {
		args = append(args, "-D", p.Name+"="+p.Value)
	}
	cmd := exec.Command(pgbench, append(args, config.Database)...)
	cmd.Env = append(os.Environ(), "PGHOST="+config.Host, "PGPASSWORD="+config.Password,
		"PGOPTIONS=-c search_path="+config.RuntimeParams["search_path"], "PGPORT="+port(config))
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "ERROR") {
		t.Errorf("pgbench -M %s of %s: %v\n%s", protocol, a.Path, err, out)
	}
}

func findPgbench(t *testing.T) string {
	t.Helper()
	beside := filepath.Join(pgtest.Start(t).Install().Bin, "pgbench")
	for _, name := range []string{os.Getenv("CCHECK_PGBENCH"), beside, "pgbench"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED, NO SCRIPT WAS RUN: no pgbench beside the server or in PATH; set CCHECK_PGBENCH")
	return ""
}

func port(config *pgconn.Config) string { return strconv.Itoa(int(config.Port)) }
