package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
	"github.com/ccheck/ccheck/probes/internal/sqltext"
)

// UnfitError says that a statement of a lane does what cannot be put back
// between schedules, so that no two of them would begin alike.
type UnfitError struct{ Statement, Why string }

func (e *UnfitError) Error() string { return oneLine(e.Statement) + " " + e.Why }

// oneLine is a statement on one line.
func oneLine(sql string) string {
	const most = 100
	text := []rune(strings.Join(strings.Fields(sqltext.Plain(sql)), " "))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// unfit are statements that are refused before anything runs.
var unfit = []struct{ begins, why string }{
	{"prepare transaction ", "leaves a transaction that outlives its session, with its locks, and the next schedule would wait for it"},
	{"refresh materialized ", "fills a materialized view, and only rows of tables and sequences are put back between schedules"},
}

// fit refuses statements that no reset undoes.
func (x *explorer) fit() error {
	for _, st := range x.Stmts {
		for _, u := range unfit {
			if strings.HasPrefix(sqltext.Fingerprint(st.SQL), u.begins) {
				return &UnfitError{st.SQL, u.why}
			}
		}
	}
	if x.Wire != nil {
		return nil // the application has the database to itself
	}
	st, table, err := lab.Foreign(x.admin, x.Stmts)
	if err == nil && st != nil {
		err = &UnfitError{st.SQL, fmt.Sprintf("touches %s, which is not in the schema of the run: its rows would not be put back", table)}
	}
	return err
}

// proven makes sure that the last reset was exact and that the tables are those
// of after setup. An application has workers of its own, and is not held to it.
func (x *explorer) proven() error {
	if x.Wire != nil || x.replica != nil {
		return nil
	}
	same, err := x.world.sameForm()
	if err != nil {
		return err
	}
	if !same {
		return x.reformed()
	}
	return x.world.proof()
}

// reformed names the statement that changes the tables themselves.
func (x *explorer) reformed() error {
	e := &UnfitError{"A lane", "changes the tables themselves, and only their rows and sequences are put back between schedules"}
	for _, st := range x.Stmts {
		if verb := sqltext.Verb(st.SQL); verb == "create" || verb == "alter" || verb == "drop" {
			e.Statement = st.SQL
			break
		}
	}
	return e
}

// EndlessError says that a step ran for long without waiting for another lane.
type EndlessError struct {
	Lane, Statement string
	After           time.Duration
	Err             error // of the server, where a limit of its own has ended it
}

func (e *EndlessError) Unwrap() error { return e.Err }

func (e *EndlessError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("lane %s does not end: a limit that the script does not set ended its statement: %v", e.Lane, e.Err)
	}
	return fmt.Sprintf("lane %s does not end: %s had no answer after %s, and waits for no other lane", e.Lane, oneLine(e.Statement), e.After)
}

// endless ends what still runs on the server and tells whose step it is.
func (e *execution) endless(after time.Duration) error {
	err := &EndlessError{After: after.Round(time.Second)}
	for _, s := range e.x.seats {
		if s.phase == moving && s.next.stmt != nil {
			err.Lane, err.Statement = s.lane.Name, s.next.stmt.SQL
		}
	}
	e.abandon()
	return err
}

// abandon ends the sessions of lanes whose step is on its way: a server does
// not notice by itself that nobody waits for the answer.
func (e *execution) abandon() {
	for _, s := range e.x.seats {
		if s.phase == moving || s.phase == waiting {
			for _, pid := range s.pids {
				_, _ = e.x.detect.conn.Ask(fmt.Sprintf("select pg_terminate_backend(%d)", pid)) // the error that led here is the one to tell
			}
		}
	}
}

// mistaken reports whether the call would fail in every order: SQLSTATE class 42
// is that of syntax errors and of names that are not there.
func mistaken(e Ending) bool {
	return e.Outcome == history.Failed && strings.HasPrefix(sqlState(e.Err), "42")
}

// limited reports whether the server has ended the lane's call by a limit that
// the script does not set: no application has it.
func limited(e Ending, stmts []*history.Stmt) bool {
	if e.Outcome != history.Failed || sqlState(e.Err) != canceled && sqlState(e.Err) != lockNotAvailable {
		return false
	}
	for _, st := range stmts {
		if lab.OwnLimit(st.SQL) {
			return false
		}
	}
	return true
}
