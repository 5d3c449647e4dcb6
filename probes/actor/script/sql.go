package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

// sql runs a statement.
func (m *Machine) sql(ctx context.Context, c *command) error {
	db, err := m.connection(c)
	if err != nil {
		return err
	}
	queue := m.pipeline && c.place == placeMain
	if queue && c.fetch != fetchNone {
		return fmt.Errorf(`\%s is not allowed in pipeline mode`, [...]string{fetchOne: "gset", fetchLast: "aset"}[c.fetch])
	}
	if m.sent && !queue && m.env.Think != nil {
		if err := m.env.Think(ctx); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.sent = true
	m.bind(c)
	if m.protocol == pg.Simple {
		m.substitute(c)
		results, err := db.ExecText(ctx, c.stmt, string(m.text), m.args)
		return m.answers(c, db, results, err)
	}
	result, err := db.Exec(ctx, c.stmt, m.args)
	if queue && err == nil {
		m.queued = append(m.queued, c)
		return nil
	}
	if result == nil {
		return m.answers(c, db, nil, err)
	}
	return m.answer(c, db, result, true, err)
}

func (m *Machine) connection(c *command) (DB, error) {
	switch {
	case c.place == placeMain:
		return m.env.DB, nil
	case c.place == placeOutside && m.env.Outside != nil:
		return m.env.Outside, nil
	case c.place == placeReplica && m.env.Replica != nil:
		return m.env.Replica, nil
	case c.place == placeReplica:
		return nil, errors.New("-- @on replica: there is no replica in this run")
	}
	return nil, errors.New("-- @outside: there is no second connection in this run")
}

// substitute writes the statement with the values of its variables. A name that
// is no variable stays as it is.
func (m *Machine) substitute(c *command) {
	m.text = m.text[:0]
	for i, p := range c.pieces {
		if i%2 == 0 {
			m.text = append(m.text, p...)
		} else if v, ok := m.vars[p]; ok {
			m.text = append(m.text, v.sql().String()...)
		} else {
			m.text = append(append(m.text, ':'), p...)
		}
	}
}

// bind collects the parameters of the statement. A name that is no variable is
// NULL, as in pgbench.
func (m *Machine) bind(c *command) {
	m.args = m.args[:0]
	for i := 1; i < len(c.pieces); i += 2 {
		v := history.Null
		if s, ok := m.vars[c.pieces[i]]; ok {
			v = s.sql()
		}
		m.args = append(m.args, v)
	}
}

// answers takes the results of a statement, of which there may be several after
// \;. Like pgbench, \gset wants the last one and \aset takes them all.
func (m *Machine) answers(c *command, db DB, results []pg.Result, err error) error {
	if err := m.failure(db, err); err != nil {
		return err
	}
	if len(results) == 0 && c.fetch == fetchOne {
		return expectOne(0)
	}
	for i := range results {
		if err := m.answer(c, db, &results[i], i == len(results)-1, nil); err != nil {
			return err
		}
	}
	return nil
}

// failure sorts an error of a connection: what is not the server's answer means
// that the answer did not come.
func (m *Machine) failure(db DB, err error) error {
	if err == nil {
		if db != m.env.DB || db.Status() == 'I' {
			m.lasting = true
		}
		return nil
	}
	if serverError(err) == nil || errors.As(err, new(*pg.LostError)) {
		return lostError{err}
	}
	return err
}

// serverError returns the server's answer in err, nil when it is another error.
func serverError(err error) *pg.Error {
	var e *pg.Error
	errors.As(err, &e)
	return e
}

// answer takes one result.
func (m *Machine) answer(c *command, db DB, r *pg.Result, last bool, err error) error {
	if err := m.failure(db, err); err != nil {
		return err
	}
	if c.commits && r.Tag == "ROLLBACK" {
		return errRolledBack
	}
	if c.rows != "" && last {
		s, err := m.slot(c.rows)
		if err != nil {
			return err
		}
		s.setValue(intValue(rowsOf(r)))
	}
	if c.fetch == fetchNone || c.fetch == fetchOne && !last {
		return nil
	}
	return m.store(c, r)
}

// store sets variables from the last row, named like the columns.
func (m *Machine) store(c *command, r *pg.Result) error {
	if c.fetch == fetchOne && len(r.Rows) != 1 {
		return expectOne(int(rowsOf(r)))
	}
	if len(r.Rows) == 0 {
		return nil
	}
	for i, v := range r.Rows[len(r.Rows)-1] {
		name := c.prefix + r.Columns[i]
		s, err := m.slot(name)
		if err != nil {
			return fmt.Errorf("error storing into variable %s: %w", name, err)
		}
		s.setText(v)
	}
	return nil
}

func expectOne(got int) error {
	return fmt.Errorf("expected one row, got %d: take \\aset for a query that may return none or several", got)
}

// rowsOf is the number of rows returned or affected. A connection may keep only
// some of them.
func rowsOf(r *pg.Result) int64 { return max(r.Affected, int64(len(r.Rows))) }

// pipe runs \startpipeline, \syncpipeline and \endpipeline.
func (m *Machine) pipe(ctx context.Context, c *command) error {
	switch {
	case c.verb == verbStartPipeline && m.protocol == pg.Simple:
		return errors.New("cannot use pipeline mode with the simple query protocol: use extended or prepared")
	case c.verb == verbStartPipeline && m.pipeline:
		return errors.New("already in pipeline mode")
	case c.verb != verbStartPipeline && !m.pipeline:
		return errors.New("not in pipeline mode")
	case c.verb == verbStartPipeline:
		m.pipeline, m.queued = true, m.queued[:0]
		return m.lostIf(m.env.DB.StartPipeline(ctx))
	case c.verb == verbSyncPipeline:
		return m.lostIf(m.env.DB.SyncPipeline(ctx))
	}
	m.pipeline = false
	results, err := m.env.DB.EndPipeline(ctx)
	m.lasting = true // what stood before a \syncpipeline, for one
	if err := m.failure(m.env.DB, err); err != nil {
		return err
	}
	for i := range results {
		if i < len(m.queued) && m.queued[i].commits && results[i].Tag == "ROLLBACK" {
			return errRolledBack
		}
	}
	return nil
}

func (m *Machine) lostIf(err error) error {
	if err != nil {
		return lostError{err}
	}
	return nil
}
