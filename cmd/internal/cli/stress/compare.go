package stress

import (
	"context"
	"fmt"
	"time"

	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/stress"
)

// compare runs every version of the scenario at every isolation level.
func compare(ctx context.Context, s *session, sc *scenario.Scenario) error {
	versions := []*scenario.Scenario{sc}
	for _, name := range sc.Variants() {
		v, err := sc.Variant(name)
		if err != nil {
			return err
		}
		versions = append(versions, s.o.adapt(v))
	}
	levels := s.o.Isolation.Levels
	if len(levels) == 0 {
		levels = flags.Levels
	}
	return matrix(ctx, s, versions, levels)
}

// several runs one version at the levels that were named.
func several(ctx context.Context, s *session, sc *scenario.Scenario, levels []scenario.Isolation) error {
	return matrix(ctx, s, []*scenario.Scenario{sc}, levels)
}

// matrix makes one run for each version at each level, and one table of all.
// A version that names its own level is run at that level only: it is right
// because of it.
func matrix(ctx context.Context, s *session, versions []*scenario.Scenario, levels []scenario.Isolation) error {
	out, err := s.o.Output.Open(s.o.Streams) // a table of many runs is no live screen
	if err != nil {
		return err
	}
	defer out.Close()
	t := newTable(title(versions))
	var all []report.Finding
	worst := report.Clean
	var broken error
	begun := false
	for _, v := range versions {
		for _, level := range levelsOf(v, levels) {
			if ctx.Err() != nil || broken != nil {
				break
			}
			s.o.Streams.Sayf("running %s", what(v, level))
			d, err := s.once(ctx, v, level, "", func(r report.Run) error {
				if begun {
					return nil
				}
				begun = true
				r.Isolation = ""
				return out.Begin(r)
			}, nil)
			if err != nil {
				return err
			}
			broken = d.err // what was run before stands
			t.add(v, level, d)
			worst = report.Worse(worst, d.verdict.Verdict)
			for _, f := range d.findings {
				f.Message = what(v, level) + ": " + f.Message
				all = append(all, f)
			}
		}
	}
	if !begun {
		return ctx.Err()
	}
	for _, f := range all {
		if err := out.Add(f); err != nil {
			return err
		}
	}
	sum := report.Summary{Verdict: worst, Tables: []report.Table{t.Table}, Reasons: t.reasons}
	sum.Line = fmt.Sprintf("ccheck: %d runs, %d faulty, %d unknown, seed %d", len(t.Rows), t.faulty, t.unknown, s.o.Seed.Pick())
	if err := out.End(sum); err != nil {
		return err
	}
	return s.o.code(worst, all, broken)
}

func levelsOf(v *scenario.Scenario, levels []scenario.Isolation) []scenario.Isolation {
	if v.Isolation != "" {
		return []scenario.Isolation{v.Isolation}
	}
	return levels
}

// table collects the rows.
type table struct {
	report.Table
	faulty, unknown int
	reasons         []string
}

func title(versions []*scenario.Scenario) string {
	if len(versions) == 1 {
		return versions[0].FullName() + " at each isolation level"
	}
	return versions[0].Name + ": every version at every isolation level"
}

func newTable(title string) *table {
	return &table{Table: report.Table{
		Title: title,
		Columns: []string{"version", "level", "verdict", "broken", "created", "lost", "ok", "refused", "failed",
			"retries", "40001", "40P01", "tps", "p50", "p99", "overlaps"},
		Notes: []string{
			"level: rc read committed, rr repeatable read, ser serializable",
			"broken: claims that did not hold; created, lost: what the accepted calls do not account for, over all keys",
			"ok: calls that were accepted; failed: calls that ended with an error, which makes a run faulty too",
			"tps: calls that ended in a second; overlaps: transactions that met on a row",
			"unknown: nothing was found, but contention is not proven",
		},
	}}
}

func (t *table) add(v *scenario.Scenario, level scenario.Isolation, d *done) {
	name := v.Version
	if name == "" {
		name = "default"
	}
	claims := map[string]bool{}
	created, lost := "0", "0"
	for _, f := range d.findings {
		if f.Claim != "" {
			claims[f.Claim] = true
		}
		if f.Books != nil {
			created, lost = f.Books.Created, f.Books.Lost
		}
	}
	if !hasEffects(v) {
		created, lost = "-", "-"
	}
	s := d.snap
	t.Rows = append(t.Rows, []string{
		name, flags.Short(level), string(d.verdict.Verdict), fmt.Sprint(len(claims)), created, lost,
		fmt.Sprint(s.Total.Accepted), fmt.Sprint(s.Total.Refused), fmt.Sprint(s.Total.Failed), fmt.Sprint(s.Retries),
		fmt.Sprint(s.Errors["40001"]), fmt.Sprint(s.Errors["40P01"]), rate(s), short(s.P50), short(s.P99),
		fmt.Sprint(d.verdict.Evidence.Overlaps),
	})
	bad := d.verdict.Verdict == report.Faulty
	t.Bad = append(t.Bad, bad)
	switch {
	case bad:
		t.faulty++
	case d.verdict.Verdict == report.Unknown:
		t.unknown++
		for _, why := range d.verdict.Reasons {
			t.reasons = append(t.reasons, what(v, level)+": "+why)
		}
	}
}

func hasEffects(sc *scenario.Scenario) bool {
	for _, a := range sc.Actors {
		if len(a.Effects) > 0 {
			return true
		}
	}
	return false
}

func rate(s stress.Snapshot) string {
	if s.Elapsed <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.0f", float64(s.Total.Calls())/s.Elapsed.Seconds())
}

// short is a duration with three digits.
func short(d time.Duration) string {
	unit := time.Microsecond
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// what names a run for messages.
func what(sc *scenario.Scenario, level scenario.Isolation) string {
	return fmt.Sprintf("%s at %s", sc.FullName(), level)
}
