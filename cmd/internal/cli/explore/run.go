package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ccheck/ccheck/analyzers/driver"
	"github.com/ccheck/ccheck/analyzers/history/serial"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/cmd/internal/build"
	"github.com/ccheck/ccheck/cmd/internal/display"
	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/cmd/internal/place"
	"github.com/ccheck/ccheck/cmd/internal/source"
	"github.com/ccheck/ccheck/cmd/internal/verdict"
	"github.com/ccheck/ccheck/probes/explore"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
	"github.com/ccheck/ccheck/probes/target"
)

// done is a cell with its verdict.
type done struct {
	*cell
	counts  explore.Counts
	verdict driver.Result
	path    string
	note    string
	from    string // what was done before the schedules, in words
}

// run does what was asked for.
func run(ctx context.Context, o *Options) error {
	cells, err := o.plan()
	if err != nil {
		return err
	}
	p, err := o.Place.Open(ctx, o.Streams, connections(cells)*o.Jobs)
	if err != nil {
		return err
	}
	defer p.Close(ctx)
	if o.Jobs > 1 && p.Server == nil {
		return exit.Usagef("--jobs %d needs a throw-away server: on yours one run works at a time", o.Jobs).WithHint("leave --jobs out, or use --throwaway")
	}
	show, err := display.Open(o.Streams, &o.Display, &o.Output)
	if err != nil {
		return err
	}
	defer show.Close()
	streams := *o
	streams.Streams = show.Streams()
	s := &session{o: &streams, place: p, table: newTable(cells), began: time.Now(), broken: map[string]bool{}}
	if err := s.follow(ctx, cells); err != nil {
		return err
	}
	if err := show.During(ctx, func(ctx context.Context, sink report.Sink) error { return s.all(ctx, cells, sink) }); err != nil {
		return err
	}
	if s.unsaved != nil {
		return s.unsaved
	}
	return s.o.code(s.worst, s.findings)
}

// plan are the cells, or the one of a stored schedule.
func (o *Options) plan() ([]*cell, error) {
	if o.Replay != "" {
		return o.stored()
	}
	return o.cells()
}

// connections is the most that one cell opens: for each lane its own and one
// that speaks to another service, and three beside them.
func connections(cells []*cell) int {
	most := 0
	for _, c := range cells {
		most = max(most, 2*len(c.actors))
	}
	return most + 5
}

// session is one run of the command.
type session struct {
	o        *Options
	place    *place.Place
	replica  *target.Target // for statements after "-- @on replica"; nil for none
	jobs     []*place.Place // one database for each
	table    *table
	began    time.Time
	findings []report.Finding
	keys     []string // of the findings: which are one bug
	teams    []string // whose finding it is
	seen     []*cell  // in which it was seen first
	levels   []scenario.Isolation
	broken   map[string]bool // by team: something breaks
	at       [][]string      // where each was seen
	reasons  []string
	notes    []string
	worst    report.Verdict
	history  string
	runs     int
	counts   explore.Counts // of all cells
	saved    bool
	unsaved  error   // of --save
	done     []*done // all that were told
	latest   []*done // since it was last emptied
	origin   string  // of an application: where an exploration begins that was driven nowhere
}

// all explores the cells one after the other, or some at a time, and tells them
// in their order.
func (s *session) all(ctx context.Context, cells []*cell, sink report.Sink) error {
	if err := sink.Begin(s.head(cells)); err != nil {
		return err
	}
	s.worst = report.Clean
	results, err := s.start(ctx, cells, sink)
	if err != nil {
		return err
	}
	for _, c := range cells {
		r := <-results[c]
		cut := ctx.Err() != nil && errors.Is(r.err, context.Canceled) // in the middle of a step that does not end
		if r.err != nil && !cut {
			return r.err
		}
		if !cut {
			if err := s.take(r.done); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			s.reasons = append(s.reasons, "ended on request")
			s.worst = report.Worse(s.worst, report.Unknown)
			break
		}
	}
	if err := s.tries(ctx, cells, sink); err != nil {
		return err
	}
	s.untried()
	if err := s.tell(sink, len(cells) > 1); err != nil {
		return err
	}
	return sink.End(s.summary(cells))
}

// take adds a cell's result to what is told.
func (s *session) take(d *done) error {
	s.table.add(d)
	s.done = append(s.done, d)
	s.latest = append(s.latest, d)
	s.runs++
	s.worst = report.Worse(s.worst, d.verdict.Verdict)
	s.counts.Schedules += d.counts.Schedules
	s.counts.Serial += d.counts.Serial
	s.counts.Skipped += d.counts.Skipped
	s.counts.Accepted += d.counts.Accepted
	s.counts.Refused += d.counts.Refused
	s.counts.Failed += d.counts.Failed
	for _, why := range d.verdict.Reasons {
		s.reasons = append(s.reasons, d.what()+": "+why)
	}
	s.broken[d.team()] = s.broken[d.team()] || len(d.verdict.Findings) > 0
	s.forget(d)
	if d.from != "" {
		s.note(d.from)
	}
	if names := d.counts.Aside; len(names) > 0 {
		s.note(fmt.Sprintf("not compared, since the application writes to it by itself: %s", strings.Join(names, ", ")))
	}
	if d.schedule != nil && d.counts.Missed > 0 {
		s.notes = append(s.notes, fmt.Sprintf("the schedule could not be followed to its end in %d of %d runs: the lanes take other steps now, or wait where they did not", d.counts.Missed, d.counts.Schedules))
	}
	if err := s.save(d); err != nil {
		s.unsaved = err // what was found is told all the same
	}
	for _, f := range d.verdict.Findings {
		command := strings.Replace(f.Repro.Command, " "+d.sc.FullName()+" ", " "+s.named(d.sc)+" ", 1)
		f.Repro.Command = s.o.onServer(command)
		s.find(d, f)
	}
	return nil
}

// onServer adds the server to the command that shows a schedule again.
func (o *Options) onServer(command string) string {
	return strings.Join(append([]string{command}, o.Place.Again()...), " ")
}

// forget removes a history with nothing to look at.
func (s *session) forget(d *done) {
	switch {
	case len(d.verdict.Findings) == 0 || d.fix != nil:
		_ = os.Remove(d.path)
	case s.history == "":
		s.history = d.path
	}
}

// named is the version as the user has to name it.
func (s *session) named(sc *scenario.Scenario) string {
	if sc.Version == "" || strings.HasSuffix(s.o.Name, "/"+sc.Version) {
		return s.o.Name
	}
	name := s.o.Name
	if fix := s.fixOf(sc); fix != "" {
		name += " --fix " + flags.Quoted(fix)
	}
	return name + " --variant " + sc.Version
}

// fixOf is the folder that the version may be of; "" for the scenario as it is.
func (s *session) fixOf(sc *scenario.Scenario) string {
	if sc.Version == "" {
		return ""
	}
	return s.o.Fix
}

// find keeps a finding. One bug at several levels is one finding, told as it
// was seen first.
func (s *session) find(d *done, f report.Finding) {
	key := strings.Join([]string{f.Rule, f.Claim, f.Anomaly, strings.Join(d.actors, ","), d.sc.Version}, "\x00")
	for i := range s.findings {
		if s.keys[i] != key {
			continue
		}
		if level := string(d.level); !strings.HasSuffix(s.at[i][0], level) && !slices.Contains(s.at[i], level) {
			s.at[i] = append(s.at[i], level)
		}
		return
	}
	s.findings, s.keys, s.at = append(s.findings, f), append(s.keys, key), append(s.at, []string{d.what()})
	s.teams, s.levels, s.seen = append(s.teams, d.team()), append(s.levels, d.level), append(s.seen, d.cell)
}

// tell hands the findings in, highest severity first.
func (s *session) tell(sink report.Sink, several bool) error {
	for i := range s.findings {
		if several {
			s.findings[i].Message = strings.Join(s.at[i], ", and at ") + ": " + s.findings[i].Message
		}
	}
	if s.o.App.Given() || s.o.tape != nil {
		code := source.Open(cmp.Or(s.o.App.Source, s.o.App.Dir, "."))
		for i := range s.findings {
			code.Tell(&s.findings[i])
		}
	}
	slices.SortStableFunc(s.findings, func(a, b report.Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
	for _, f := range s.findings {
		if err := sink.Add(f); err != nil {
			return err
		}
	}
	return nil
}

// one explores a cell in a sandbox of its own and judges it.
func (s *session) one(ctx context.Context, p *place.Place, c *cell, progress func(explore.Counts)) (*done, error) {
	d, err := s.explore(ctx, p, c, nil, progress)
	if err != nil || !d.fits() || ctx.Err() != nil {
		return d, err
	}
	return s.nearer(ctx, p, d, progress)
}

// explore runs one cell from the rows of the setup, or from what stage makes of
// them.
func (s *session) explore(ctx context.Context, p *place.Place, c *cell, stage stage, progress func(explore.Counts)) (*done, error) {
	box, err := p.Sandbox(ctx)
	if err != nil {
		return nil, err
	}
	opts, err := s.options(ctx, box, c)
	if err != nil {
		box.Leave(ctx, false)
		return nil, err
	}
	if stage != nil {
		opts.Stage = func(ctx context.Context, tables []history.Table) (map[string]int64, error) {
			return stage(ctx, box, tables)
		}
	}
	opts.Progress = progress
	counts, runErr := explore.Drive(context.WithoutCancel(ctx), opts)
	note := box.Leave(ctx, s.o.Keep)
	if note != "" {
		s.o.Streams.Warnf("%s", note)
	}
	if runErr != nil {
		_ = os.Remove(opts.Path)
		return nil, explain(p, runErr)
	}
	d := &done{cell: c, counts: counts, path: opts.Path, note: note}
	return d, d.judge(context.WithoutCancel(ctx))
}

// options is what the driver needs.
func (s *session) options(ctx context.Context, box *place.Sandbox, c *cell) (explore.Options, error) {
	o := s.o
	standby := s.standby(box, c)
	lanes, stmts, err := explore.ScriptLanes(explore.ScriptOptions{
		Scenario: c.sc, Config: box.Config, Replica: standby, Isolation: c.level, Seed: o.Seed.Pick(), MaxTries: o.MaxTries,
	}, c.actors)
	if err != nil {
		return explore.Options{}, exit.Usagef("%w", err).WithHint("`ccheck scenario show %s` lists its actors", c.sc.FullName())
	}
	path, err := verdict.Path(o.Streams, "", box.Run.ID)
	if err != nil {
		return explore.Options{}, err
	}
	opts := explore.Options{
		Scenario: c.sc, Lanes: lanes, Stmts: stmts, Config: box.Config, Replica: standby, Tables: box.Tables, Header: box.Header(), Path: path,
		Stop: ctx.Done(), Isolation: c.level, Seed: o.Seed.Pick(), Max: o.Max, MaxRows: o.MaxRows, RealDeadlocks: o.Real,
	}
	if len(c.actors) > 2 && !o.Full {
		opts.Commute = commute
	}
	if c.schedule != nil {
		for range o.Times {
			opts.Replay = append(opts.Replay, c.schedule)
		}
	}
	return opts, nil
}

// commute is the judges' word on which steps can be left in one order. With two
// lanes there are few schedules, and their number says how likely the bug is.
func commute(h *history.Header) func(a, b explore.Access) bool {
	c := serial.NewCommuter(h)
	return func(a, b explore.Access) bool { return c.Steps(stepOf(a), stepOf(b)) }
}

func stepOf(a explore.Access) serial.Step {
	s := serial.Step{Stmt: a.Stmt, Args: a.Args, First: a.First, Alone: a.Alone}
	for _, in := range a.Inside {
		s.Inside = append(s.Inside, stepOf(in))
	}
	return s
}

// judge reads the history that was left.
func (d *done) judge(ctx context.Context) error {
	f, err := history.Open(d.path)
	if err != nil {
		return exit.Failedf("reading back the history: %w", err)
	}
	if d.verdict, err = verdict.Judge(ctx, f); err != nil {
		return exit.Failedf("judging the history: %w", err)
	}
	return nil
}

// explain tells an error as the user should see it.
func explain(p *place.Place, err error) error {
	var setup *explore.SetupError
	var large *explore.TooLargeError
	var lost *pg.LostError
	switch {
	case errors.As(err, &lost):
		return p.Target.Explain(err)
	case errors.As(err, &setup):
		e := exit.Usagef("%w", err).WithHint("mend the SQL in the scenario; `ccheck scenario check` finds what can be found without a server")
		var server *pg.Error
		if errors.As(err, &server) && server.Hint != "" {
			e.Hint = server.Hint
		}
		return e
	case errors.As(err, &large):
		return exit.Usagef("%w", err).WithHint("make the setup smaller, which explores faster and finds the same, or raise --max-rows")
	case errors.As(err, new(*explore.UnfitError)):
		return exit.Usagef("%w", err).WithHint("do it in the scenario's setup, or in a temporary table; what is not in the schema of the run belongs to others")
	case errors.As(err, new(*explore.EndlessError)):
		return exit.Failedf("%w", err).WithHint("take the statement out of the script: in an exploration no time passes, so a pause or a wait for others is not needed")
	case errors.As(err, new(*explore.StuckError)):
		return exit.Failedf("%w", err).WithHint("release session-level advisory locks before the end of the script, or take them with pg_advisory_xact_lock")
	case errors.Is(err, context.Canceled):
		return err
	}
	return exit.Failedf("%w", err)
}

// code is the outcome of the command.
func (o *Options) code(v report.Verdict, findings []report.Finding) error {
	return exit.Status(o.Outcome.Code(v, findings))
}

// head is what sinks are told when the run begins.
func (s *session) head(cells []*cell) report.Run {
	c := cells[0]
	h := history.Header{
		Run: place.NewRun().ID, Probe: explore.Probe.Name, Version: build.Version(), Scenario: c.sc.FullName(), Title: c.sc.Title,
		Seed: s.o.Seed.Pick(), Start: time.Now(),
		Target: history.Target{Version: s.place.Facts.Version, Address: s.place.Target.Address(), Throwaway: s.place.Server != nil},
	}
	if len(cells) == 1 {
		h.Target.Isolation = string(c.level)
	}
	r := verdict.Run(&h)
	r.Clients = len(c.actors)
	for _, inv := range c.sc.Invariants {
		r.Claims = append(r.Claims, inv.Name)
	}
	return r
}

// claims are the states of the scenario's claims over all cells, and the
// findings that speak of them.
func (s *session) claims(cells []*cell) (states []report.ClaimState, seen []report.Violation) {
	for _, inv := range cells[0].sc.Invariants {
		c := report.ClaimState{Name: inv.Name, State: "ok", Checks: s.counts.Schedules, Note: "after every schedule"}
		for i, f := range s.findings {
			if f.Claim != inv.Name {
				continue
			}
			c.State = "bad"
			c.Bad += f.Count
			seen = append(seen, report.Violation{ID: len(seen) + 1, At: f.First, Claim: f.Claim, Text: s.first(&s.findings[i]), Finding: i})
		}
		states = append(states, c)
	}
	return states, seen
}

// note adds to what is told at the end, once.
func (s *session) note(text string) {
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// first tells the first row of the evidence.
func (s *session) first(f *report.Finding) string {
	if len(f.Rows) == 0 {
		return f.Anomaly
	}
	parts := make([]string, len(f.Rows[0]))
	for i, v := range f.Rows[0] {
		parts[i] = f.Columns[i] + " " + v
	}
	return strings.Join(parts, ", ")
}

// summary ends the run.
func (s *session) summary(cells []*cell) report.Summary {
	elapsed := time.Since(s.began)
	sum := report.Summary{Verdict: s.worst, Reasons: s.reasons, Tables: []report.Table{s.table.Table}, History: s.history}
	sum.Final = report.Progress{Phase: "done", Elapsed: elapsed, Accepted: s.counts.Accepted, Refused: s.counts.Refused, Failed: s.counts.Failed}
	sum.Final.Rate = float64(s.counts.Schedules) / max(elapsed.Seconds(), 0.001)
	sum.Final.Claims, sum.Final.Violations = s.claims(cells)
	sum.Final.Evidence = s.table.evidence
	sum.Evidence = s.table.evidence
	sum.Notes = s.notes
	if s.o.Save != "" && !s.saved && s.unsaved == nil {
		sum.Notes = append(sum.Notes, fmt.Sprintf("nothing breaks, so there is no schedule to save: %s was not written", s.o.Save))
	}
	if n := s.counts.Skipped; n > 0 {
		sum.Notes = append(sum.Notes, fmt.Sprintf("%s differed from another one in the order of steps that cannot touch each other, and many more were left out for that; --full runs them", count(n, "schedule")))
	}
	sum.Line = fmt.Sprintf("ccheck: %s: %s in %s of %s, %.1fs, seed %d",
		s.worst, count(len(s.findings), "finding"), count(s.counts.Schedules, "schedule"), count(s.runs, "combination"), elapsed.Seconds(), s.o.Seed.Pick())
	if s.history != "" {
		sum.Line += ", history " + s.history
	}
	return sum
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
