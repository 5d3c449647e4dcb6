package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/ccheck/ccheck/analyzers/check"
	"github.com/ccheck/ccheck/analyzers/internal/culprit"
	"github.com/ccheck/ccheck/analyzers/internal/lanes"
	"github.com/ccheck/ccheck/analyzers/internal/mend"
	"github.com/ccheck/ccheck/analyzers/report"
	"github.com/ccheck/ccheck/probes/history"
)

// Checker reports broken claims.
var Checker = &check.Checker{Name: name, Doc: Doc, Run: run}

const name = "invariant"

// keptRows of a broken check go into the finding.
const keptRows = 20

func run(pass *check.Pass) error {
	if pass.Header.Probe == "stress" && len(pass.Header.Claims) == 0 {
		pass.Unknown("nothing was claimed: the scenario has no invariant, so nothing could be broken; add invariants, or use ccheck explore, which needs none")
	}
	breaches, err := collect(pass)
	if err != nil {
		return err
	}
	var broken []*breach
	for _, b := range breaches {
		if b.failed != "" && b.count == 0 {
			pass.Unknown(fmt.Sprintf("the claim %q could not be looked at: %s", b.claim.Name, b.failed))
		}
		if b.count > 0 {
			broken = append(broken, b)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	if err := explain(pass, broken); err != nil {
		return err
	}
	for _, b := range broken {
		pass.Report(b.finding(pass.Header))
	}
	return nil
}

// explain looks for the transactions behind each breach.
func explain(pass *check.Pass, broken []*breach) error {
	schema := lanes.NewSchema(pass.Header)
	var quests []*culprit.Quest
	for _, b := range broken {
		a := schema.Read(b.claim.SQL)
		b.unique = mend.UniqueOf(a, b.claim.SQL)
		for i := range b.sights {
			s := &b.sights[i]
			s.quest = culprit.Quest{Target: culprit.OfClaim(a, s.check.Rows), After: s.before, Until: s.check.Time, Round: s.round, Calls: true}
			quests = append(quests, &s.quest)
		}
		b.schema = schema
	}
	_, err := culprit.Search(pass.Header, pass.Ops(), quests)
	for _, b := range broken {
		b.choose()
	}
	return err
}

// maxSights bounds the rounds that are looked at: where the spans of statements
// overlap in the first one, another one may show the order.
const maxSights = 12

// sight is a check that returned rows, with all was well at before.
type sight struct {
	check  *history.Op
	before time.Duration
	round  int // number of resets before it
	quest  culprit.Quest
}

// choose takes the first sight that transactions account for, else the first. Two
// that did the same to one row are the last choice.
func (b *breach) choose() {
	n := slices.IndexFunc(b.sights, func(s sight) bool { return s.quest.Anomaly != nil && !s.quest.Anomaly.Idle() })
	if n < 0 {
		n = slices.IndexFunc(b.sights, func(s sight) bool { return s.quest.Anomaly != nil })
	}
	told := b.sights[max(0, n)]
	b.told, b.quest = told.check, told.quest
}

// breach is what the checks of one claim saw.
type breach struct {
	claim  *history.Claim
	checks int
	count  int    // of checks that returned rows
	failed string // error of a check that could not be made

	// good is when the last check before the first bad one was made, and
	// before is the one before that: what a check saw is older than its answer.
	before, good time.Duration
	began        time.Duration // of the round
	first, last  *history.Op
	sights       []sight     // one for each of the first rounds that were bad
	told         *history.Op // the check that the finding tells of

	schema *lanes.Schema
	unique mend.Unique
	quest  culprit.Quest
}

// collect reads the checks of the history.
func collect(pass *check.Pass) ([]*breach, error) {
	byName := map[string]*breach{}
	var all []*breach
	for i := range pass.Header.Claims {
		if c := &pass.Header.Claims[i]; c.Kind == history.Invariant {
			b := &breach{claim: c}
			byName[c.Name] = b
			all = append(all, b)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	round := 0
	for o, err := range pass.Ops() {
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		switch {
		case o.Scope == history.ScopeNote && o.Text == lanes.Reset:
			round++
			for _, b := range all {
				b.reset(o.Time)
			}
		case o.Scope == history.ScopeCheck && byName[o.Text] != nil:
			byName[o.Text].add(o, round)
		}
	}
	return all, nil
}

// reset forgets what was good: the rows are new.
func (b *breach) reset(at time.Duration) {
	b.began = at
	if b.first == nil {
		b.before, b.good = at, at
	}
}

func (b *breach) add(o *history.Op, round int) {
	b.checks++
	switch {
	case o.Kind == history.Fail:
		b.failed = o.SQLState + " " + o.Error
	case len(o.Rows) == 0 && b.first == nil:
		b.before, b.good = b.good, o.Time
	case len(o.Rows) > 0:
		b.count++
		b.see(o, round)
		b.last = o
	}
}

// see keeps the first bad check of a round.
func (b *breach) see(o *history.Op, round int) {
	switch n := len(b.sights); {
	case b.first == nil:
		b.first = o
		b.sights = append(b.sights, sight{check: o, before: b.before, round: round})
	case n < maxSights && b.sights[n-1].round != round:
		b.sights = append(b.sights, sight{check: o, before: b.began, round: round})
	}
}

// finding says what was broken; the story is added when there is one.
func (b *breach) finding(h *history.Header) report.Finding {
	f := report.Finding{
		Rule: name, Severity: report.High, Claim: b.claim.Name, Where: where(b.claim.Where),
		Count: b.count, First: b.first.Time, Last: b.last.Time,
		Columns: b.told.Columns, Rows: rowTexts(b.told), More: b.told.More + max(0, len(b.told.Rows)-keptRows),
		Repro: report.Repro{Seed: h.Seed}, Help: "docs/analyzers/invariant.md",
	}
	b.tell(&f)
	f.Fixes = append(f.Fixes, authors(b.claim.Fixes, f.Fixes)...)
	return f
}

func rowTexts(o *history.Op) [][]string {
	var rows [][]string
	for _, r := range o.Rows[:min(len(o.Rows), keptRows)] {
		var texts []string
		for _, v := range r {
			texts = append(texts, v.String())
		}
		rows = append(rows, texts)
	}
	return rows
}
