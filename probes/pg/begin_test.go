package pg_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/pg"
)

func TestHeldBeginTravelsWithTheNextStatement(t *testing.T) {
	for _, protocol := range []pg.Protocol{pg.Extended, pg.Prepared} {
		t.Run(string(protocol), func(t *testing.T) {
			l := connect(t, protocol)
			l.HoldBegin()
			r := l.exec("BEGIN ISOLATION LEVEL SERIALIZABLE")
			if r.Tag != "BEGIN" || l.Status() != 'T' || len(l.told()) != 0 {
				t.Fatalf("held: tag %s, status %c, recorded %q", r.Tag, l.Status(), l.told())
			}
			level := l.exec("select current_setting('transaction_isolation')").Rows[0][0].Text
			if level != "serializable" || l.Status() != 'T' {
				t.Errorf("the statement ran at %s, status %c", level, l.Status())
			}
			l.exec("commit")
			want := []string{
				"invoke x1 BEGIN []", "invoke x1 select []", "ok x1 BEGIN [] T",
				"ok x1 SELECT 1 [[serializable]] T", "invoke x1 commit []", "ok x1 COMMIT [] I",
			}
			if diff := cmp.Diff(want, l.told()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeldBeginThatIsRefusedFailsTheNextStatement(t *testing.T) {
	l := connect(t, pg.Prepared)
	l.HoldBegin()
	l.exec("begin nonsense")
	_, err := l.Exec(t.Context(), l.stmt("update account set balance = 0"), nil)
	var server *pg.Error
	if !errors.As(err, &server) || server.Code != "42601" || l.Status() != 'I' {
		t.Fatalf("error %v, status %c", err, l.Status())
	}
	if got := l.exec("select balance from account where id = 1").Rows[0][0]; got != history.Text("100") {
		t.Errorf("the statement took effect without its transaction: balance %v", got)
	}
	want := []string{"invoke x1 begin []", "invoke x1 update []", "fail x1  [] I42601", "fail x1  [] I42601"}
	if diff := cmp.Diff(want, l.told()[:4]); diff != "" {
		t.Error(diff)
	}
}

func TestHeldBeginGoesAheadOfWhatCannotCarryIt(t *testing.T) {
	insert := "insert into account values (3, 1)"
	for name, run := range map[string]func(*lane) error{
		"pipeline": func(l *lane) error {
			if err := l.StartPipeline(t.Context()); err != nil {
				return err
			}
			if _, err := l.Exec(t.Context(), l.stmt(insert), nil); err != nil {
				return err
			}
			_, err := l.EndPipeline(t.Context())
			return err
		},
		"text": func(l *lane) error {
			_, err := l.ExecText(t.Context(), l.stmt(insert), insert, nil)
			return err
		},
		"unrecorded": func(l *lane) error {
			_, err := l.Ask(insert)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := connect(t, pg.Prepared)
			l.HoldBegin()
			l.exec("begin")
			must(t, run(l))
			l.exec("rollback")
			if n := len(l.exec("select from account where id = 3").Rows); n != 0 {
				t.Error("the statement ran outside the transaction")
			}
		})
	}
}

// exec runs a statement that must succeed.
func (l *lane) exec(sql string) *pg.Result {
	l.t.Helper()
	r, err := l.Exec(l.t.Context(), l.stmt(sql), nil)
	must(l.t, err)
	return r
}
