package retry

import (
	"fmt"
	"strings"

	"github.com/ccheck/ccheck/probes/fault"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/internal/lab"
)

// What the faults are made of. A sequence keeps its place when the transaction
// that drew from it is rolled back: as long as it is below zero, the trigger
// raises the error.
const (
	atWrite  = "ccheck_fault_write"
	atCommit = "ccheck_fault_commit"
	raises   = "ccheck_fault"
)

// install puts a trigger before the statements that write, and one at COMMIT.
// Sessions that stand for another service (ccheck.outside) are spared.
func (d *driver) install(tables []history.Table) error {
	var b strings.Builder
	for _, s := range []string{atWrite, atCommit} {
		fmt.Fprintf(&b, "create sequence %s minvalue -1000 start 0;", s)
	}
	b.WriteString(function("40001"))
	for _, t := range tables {
		name := lab.Ident(t.Name)
		fmt.Fprintf(&b, "create trigger ccheck_fault_write before insert or update or delete on %s for each statement execute function %s('%s');", name, raises, atWrite)
		fmt.Fprintf(&b, "create constraint trigger ccheck_fault_commit after insert or update or delete on %s deferrable initially deferred for each row execute function %s('%s');", name, raises, atCommit)
	}
	if _, err := d.admin.Ask(b.String()); err != nil {
		return fmt.Errorf("putting in the triggers that raise the errors: %w", err)
	}
	return nil
}

// messages are those that the server has for these errors.
var messages = map[string]string{
	"40001": "could not serialize access due to concurrent update",
	"40P01": "deadlock detected",
}

func function(state string) string {
	return fmt.Sprintf(`create or replace function %s() returns trigger language plpgsql as $$
	begin
		if coalesce(current_setting('ccheck.outside', true), '') = '' and nextval((tg_table_schema || '.' || tg_argv[0])::regclass) < 0 then
			raise exception '%s' using errcode = '%s';
		end if;
		return null;
	end $$;`, raises, messages[state], state)
}

// arm makes the fault happen to the next call.
func (d *driver) arm(f Fault) error {
	if d.rival != nil {
		d.rival.arm(f)
		return nil
	}
	if f == Answer {
		return d.plan.Set(fault.Fault{Kind: fault.Cut, Point: fault.Answer, Verb: d.gate.last(), Nth: 1})
	}
	state, sequence, times := "40001", atWrite, 1
	switch f {
	case AtCommit:
		sequence = atCommit
	case Twice:
		times = 2
	case Deadlock:
		state = "40P01"
	}
	_, err := d.admin.Ask(function(state) + fmt.Sprintf("select setval('%s', %d, false);", sequence, -times))
	if err != nil {
		return fmt.Errorf("arming the fault %s: %w", f, err)
	}
	return nil
}

func (d *driver) disarm() error {
	if d.rival != nil {
		return d.rival.disarm()
	}
	if err := d.plan.Set(); err != nil {
		return err
	}
	_, err := d.admin.Ask(fmt.Sprintf("select setval('%s', 0, false), setval('%s', 0, false)", atWrite, atCommit))
	if err != nil {
		return fmt.Errorf("disarming the fault: %w", err)
	}
	return nil
}

// uninstall takes the triggers away again.
func (d *driver) uninstall() error {
	_, err := d.admin.Ask(fmt.Sprintf("drop function if exists %s() cascade; drop sequence if exists %s, %s", raises, atWrite, atCommit))
	if err != nil {
		return fmt.Errorf("taking the triggers away: %w", err)
	}
	return nil
}
