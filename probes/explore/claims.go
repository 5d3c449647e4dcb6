package explore

import (
	"context"
	"errors"
	"strings"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/pg"
	"github.com/ccheck/ccheck/probes/scenario"
)

// claims looks at the invariants after each schedule, when all lanes have ended.
type claims struct {
	conn *pg.Conn
	rec  *history.Recorder
	sc   *scenario.Scenario

	staged map[string]int64 // accepted calls before the schedules, by actor

	found []string // violations of the last look, in words
}

// first evaluates every invariant once before the lanes run: one that errors is
// a mistake in the scenario.
func (c *claims) first() error {
	if c.sc == nil {
		return nil
	}
	for _, inv := range c.sc.Invariants {
		sql, err := c.text(inv, nil)
		if err == nil {
			_, err = c.conn.Ask(sql)
		}
		if err != nil {
			return &lab.SetupError{Where: lab.At(inv.SQL, err), What: `invariant "` + inv.Name + `"`, Err: err}
		}
	}
	return nil
}

func (c *claims) text(inv scenario.Invariant, counts []scenario.Count) (string, error) {
	sql, err := scenario.SQL(inv.SQL.Text, c.sc.Params, c.sc.Counters(counts))
	if err != nil {
		return "", &lab.SetupError{Where: inv.SQL.Where, What: `invariant "` + inv.Name + `"`, Err: err}
	}
	return sql, nil
}

// look evaluates all invariants and records what they return; broken says that
// one of them returned rows.
func (c *claims) look(endings []Ending, seats []*Seat) (broken bool, err error) {
	if c.sc == nil {
		return false, nil
	}
	c.found = nil
	counts := c.counts(endings, seats)
	var texts []string
	for _, inv := range c.sc.Invariants {
		sql, err := c.text(inv, counts)
		if err != nil {
			return false, err
		}
		texts = append(texts, strings.TrimRight(sql, "; \n\t"))
	}
	if len(texts) == 0 {
		return false, nil
	}
	results, err := c.conn.ExecText(context.Background(), &pg.Stmt{}, strings.Join(texts, ";"), nil)
	if err == nil && len(results) == len(texts) {
		for i := range results {
			broken = c.record(c.sc.Invariants[i].Name, &results[i]) || broken
		}
		return broken, nil
	}
	for i, sql := range texts { // one of them errs, or is more than one statement
		bad, err := c.one(c.sc.Invariants[i].Name, sql)
		if err != nil {
			return false, err
		}
		broken = broken || bad
	}
	return broken, nil
}

func (c *claims) one(name, sql string) (bad bool, err error) {
	res, err := c.conn.Ask(sql)
	var server *pg.Error
	if errors.As(err, &server) {
		c.rec.Record(&history.Op{Scope: history.ScopeCheck, Kind: history.Fail, Text: name, SQLState: server.Code, Error: server.Message})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return c.record(name, res), nil
}

func (c *claims) record(name string, res *pg.Result) (bad bool) {
	kept := min(len(res.Rows), history.MaxRows)
	c.rec.Record(&history.Op{
		Scope: history.ScopeCheck, Kind: history.OK, Text: name,
		Columns: res.Columns, Rows: res.Rows[:kept], More: len(res.Rows) - kept,
	})
	if kept > 0 {
		c.found = append(c.found, name+": "+lab.Words(res.Columns, res.Rows[0]))
	}
	return kept > 0
}

// counts are the answers of the actors in this schedule.
func (c *claims) counts(endings []Ending, seats []*Seat) []scenario.Count {
	byActor := map[string]*scenario.Count{}
	for _, name := range c.sc.Names() {
		byActor[name] = &scenario.Count{Actor: name, OK: c.staged[name]}
	}
	for i, e := range endings {
		if n := byActor[seats[i].lane.Actor]; n != nil {
			n.Add(e.Outcome)
		}
	}
	var list []scenario.Count
	for _, name := range c.sc.Names() {
		list = append(list, *byActor[name])
	}
	return list
}
